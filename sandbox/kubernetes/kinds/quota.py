"""ResourceQuota and LimitRange."""

from __future__ import annotations

from sandbox.kubernetes import quantities
from sandbox.kubernetes.field_errors import FieldError, duplicate, forbidden_field, invalid, required
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.kinds.rules import KindRules
from sandbox.kubernetes.names import qualified_name_errors

__all__ = ["LIMIT_RANGE", "RESOURCE_QUOTA", "is_standard"]

_STANDARD = frozenset(
    {
        "cpu",
        "memory",
        "ephemeral-storage",
        "storage",
        "pods",
        "services",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
        "requests.cpu",
        "requests.memory",
        "requests.storage",
        "requests.ephemeral-storage",
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
    }
)
_INTEGER = frozenset(
    {
        "pods",
        "services",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    }
)
_CONTAINER_STANDARD = ("cpu", "memory", "ephemeral-storage", "storage")
_POD_SCOPE_KEYS = frozenset(
    {
        "pods",
        "cpu",
        "memory",
        "requests.cpu",
        "requests.memory",
        "limits.cpu",
        "limits.memory",
        "ephemeral-storage",
        "requests.ephemeral-storage",
        "limits.ephemeral-storage",
    }
)
_SCOPES = (
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
)


def is_standard(name: str) -> bool:
    return name in _STANDARD or name.startswith(("hugepages-", "requests.hugepages-"))


def _quota_key_errors(name: str, path: str) -> list[FieldError]:
    if errors := qualified_name_errors(name):
        return [invalid(path, name, text) for text in errors]
    if "/" not in name and not is_standard(name):
        return [
            invalid(path, name, "must be a standard resource type or fully qualified"),
            invalid(path, name, "must be a standard resource for quota"),
        ]
    return []


def _hard_errors(hard: Object, path: str) -> list[FieldError]:
    out = []
    for name, text in hard.items():
        out += _quota_key_errors(name, f"{path}[{name}]")
        value = quantities.parse(text)
        if value < 0:
            out.append(invalid(f"{path}[{name}]", text, "must be greater than or equal to 0"))
        if (name in _INTEGER or name.startswith("count/")) and value != value.to_integral_value():
            out.append(invalid(f"{path}[{name}]", text, "must be an integer"))
    return out


def _quota_validate(obj: Object) -> list[FieldError]:
    out = _hard_errors(at(obj, "spec", "hard") or {}, "spec.hard")
    return out + _scope_errors(obj["spec"])


def _scope_errors(spec: Object) -> list[FieldError]:
    out: list[FieldError] = []
    scopes = spec.get("scopes") or []
    hard = spec.get("hard") or {}
    for scope in scopes:
        if scope not in _SCOPES:
            out.append(invalid("spec.scopes", scopes, "unsupported scope"))
            continue
        text = "unsupported scope applied to resource"
        out += [invalid("spec.scopes", scopes, text) for name in hard if not _scope_allows(scope, name)]
    for one, other in (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")):
        if one in scopes and other in scopes:
            out.append(invalid("spec.scopes", scopes, "conflicting scopes"))
    for expression in at(spec, "scopeSelector", "matchExpressions") or ():
        out += _expression_errors(expression, spec)
    return out


def _expression_errors(expression: Object, spec: Object) -> list[FieldError]:
    out: list[FieldError] = []
    hard = spec.get("hard") or {}
    path = "spec.scopeSelector.matchExpressions"
    scope, operator = expression.get("scopeName", ""), expression.get("operator", "")
    values = expression.get("values")
    if scope not in _SCOPES:
        out.append(invalid(f"{path}.scopeName", scope, "unsupported scope"))
    elif any(not _scope_allows(scope, name) for name in hard):
        out.append(invalid(path, _go_scope(spec["scopeSelector"]), "unsupported scope applied to resource"))
    if scope in ("BestEffort", "NotBestEffort", "Terminating", "NotTerminating") and operator != "Exists":
        out.append(
            invalid(
                f"{path}.operator",
                operator,
                "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating,"
                " ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort,"
                " ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
            )
        )
    if operator in ("In", "NotIn"):
        if not values:
            out.append(
                required(
                    f"{path}.values",
                    "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
                )
            )
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            out.append(
                invalid(
                    f"{path}.values",
                    values,
                    "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
                )
            )
    else:
        out.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    return out


def _go_scope(selector: Object) -> Object:
    return {
        "MatchExpressions": [
            {"ScopeName": e.get("scopeName"), "Operator": e.get("operator"), "Values": e.get("values")}
            for e in selector.get("matchExpressions") or ()
        ]
    }


def _scope_allows(scope: str, name: str) -> bool:
    if scope == "BestEffort":
        return name == "pods"
    if scope == "VolumeAttributesClass":
        return "persistentvolumeclaims" in name or "storage" in name
    if name in _POD_SCOPE_KEYS:
        return True
    return is_standard(name) is False and (
        name.startswith(("requests.", "hugepages-")) or name == "count/pods"
    )


def _quota_status(new: Object) -> list[FieldError]:
    status = new.get("status") or {}
    return _hard_errors(status.get("hard") or {}, "status.hard") + _hard_errors(
        status.get("used") or {}, "status.used"
    )


def _quota_prepare(new: Object, old: Object | None) -> None:
    new["status"] = {} if old is None else old.get("status", {})


def _quota_update(new: Object, old: Object) -> list[FieldError]:
    out = []
    if set(new["spec"].get("scopes") or ()) != set(old["spec"].get("scopes") or ()):
        out.append(invalid("spec.scopes", new["spec"].get("scopes"), "field is immutable"))
    return out


RESOURCE_QUOTA = KindRules(
    validate_status=_quota_status,
    prepare=_quota_prepare,
    validate=_quota_validate,
    validate_update=_quota_update,
)


def _limit_default(obj: Object) -> None:
    for item in obj["spec"].get("limits") or ():
        if item.get("type") != "Container":
            continue
        default, request = dict(item.get("default") or {}), dict(item.get("defaultRequest") or {})
        for name, value in (item.get("max") or {}).items():
            default.setdefault(name, value)
        for name, value in default.items():
            request.setdefault(name, value)
        for name, value in (item.get("min") or {}).items():
            request.setdefault(name, value)
        if default:
            item["default"] = default
        if request:
            item["defaultRequest"] = request


def _less(left: str, right: str) -> bool:
    return quantities.parse(left) < quantities.parse(right)


def _limit_key_errors(kind: str, name: str, path: str) -> list[FieldError]:
    if errors := qualified_name_errors(name):
        return [invalid(path, name, text) for text in errors]
    if "/" in name or name.startswith("hugepages-"):
        return []
    if kind in ("Pod", "Container"):
        return (
            []
            if name in _CONTAINER_STANDARD[:3]
            else [
                invalid(path, name, "must be a standard resource type or fully qualified"),
                invalid(path, name, "must be a standard resource for containers"),
            ]
        )
    return (
        []
        if is_standard(name)
        else [invalid(path, name, "must be a standard resource type or fully qualified")]
    )


def _limit_validate(obj: Object) -> list[FieldError]:
    out: list[FieldError] = []
    seen: set[str] = set()
    for number, item in enumerate(obj["spec"].get("limits") or ()):
        out += _item_errors(item, f"spec.limits[{number}]", seen)
    return out


def _item_errors(item: Object, path: str, seen: set[str]) -> list[FieldError]:
    out: list[FieldError] = []
    kind = item.get("type", "")
    if errors := qualified_name_errors(kind):
        out += [invalid(f"{path}.type", kind, text) for text in errors]
    elif kind not in ("Pod", "Container", "PersistentVolumeClaim") and "/" not in kind:
        out.append(invalid(f"{path}.type", kind, "must be a standard limit type or fully qualified"))
    if kind in seen:
        out.append(duplicate(f"{path}.type", kind))
    seen.add(kind)
    maps = {
        key: item.get(key) or {}
        for key in ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
    }
    for key in ("max", "min"):
        for name in maps[key]:
            out += _limit_key_errors(kind, name, f"{path}.{key}[{name}]")
    if kind == "Pod":
        out += [
            forbidden_field(f"{path}.{key}", "may not be specified when `type` is 'Pod'")
            for key in ("default", "defaultRequest")
            if maps[key]
        ]
    else:
        for key in ("default", "defaultRequest"):
            for name in maps[key]:
                out += _limit_key_errors(kind, name, f"{path}.{key}[{name}]")
    if kind == "PersistentVolumeClaim" and "storage" not in maps["min"] and "storage" not in maps["max"]:
        out.append(
            required(
                f"{path}.limits",
                "either minimum or maximum storage value is required, but neither was provided",
            )
        )
    for name in maps["maxLimitRequestRatio"]:
        out += _limit_key_errors(kind, name, f"{path}.maxLimitRequestRatio[{name}]")
    names = dict.fromkeys(name for key in maps for name in maps[key])
    for name in names:
        out += _order_errors(maps, name, path)
    return out


def _order_errors(maps: dict[str, Object], name: str, path: str) -> list[FieldError]:
    out = []
    low, high = maps["min"].get(name), maps["max"].get(name)
    default, request, ratio = (
        maps["default"].get(name),
        maps["defaultRequest"].get(name),
        maps["maxLimitRequestRatio"].get(name),
    )
    if low and high and _less(high, low):
        out.append(invalid(f"{path}.min[{name}]", low, f"min value {low} is greater than max value {high}"))
    if request and low and _less(request, low):
        out.append(
            invalid(
                f"{path}.defaultRequest[{name}]",
                request,
                f"min value {low} is greater than default request value {request}",
            )
        )
    if request and high and _less(high, request):
        out.append(
            invalid(
                f"{path}.defaultRequest[{name}]",
                request,
                f"default request value {request} is greater than max value {high}",
            )
        )
    if request and default and _less(default, request):
        out.append(
            invalid(
                f"{path}.defaultRequest[{name}]",
                request,
                f"default request value {request} is greater than default limit value {default}",
            )
        )
    if default and low and _less(default, low):
        out.append(
            invalid(
                f"{path}.default[{name}]", low, f"min value {low} is greater than default value {default}"
            )
        )
    if default and high and _less(high, default):
        out.append(
            invalid(
                f"{path}.default[{name}]", high, f"default value {default} is greater than max value {high}"
            )
        )
    if ratio and _less(ratio, "1"):
        out.append(invalid(f"{path}.maxLimitRequestRatio[{name}]", ratio, f"ratio {ratio} is less than 1"))
    if ratio and low and high and quantities.parse(low):
        limit = quantities.parse(high) / quantities.parse(low)
        if quantities.parse(ratio) > limit:
            out.append(
                invalid(
                    f"{path}.maxLimitRequestRatio[{name}]",
                    ratio,
                    f"ratio {ratio} is greater than max/min = {float(limit):f}",
                )
            )
    if default and "/" in name and not name.startswith("kubernetes.io/") and default != request:
        out.append(
            invalid(
                f"{path}.defaultRequest[{name}]",
                request or "",
                f"default value {default} must equal to defaultRequest value {request} in {name}",
            )
        )
    return out


LIMIT_RANGE = KindRules(default=_limit_default, validate=_limit_validate)
