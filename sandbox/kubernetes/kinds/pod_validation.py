"""Validation of pod specs, in pods and in templates."""

from __future__ import annotations

from sandbox.kubernetes import quantities
from sandbox.kubernetes.field_errors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
)
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.kinds.labels import (
    SET_OPERATORS,
    metadata_errors,
    selector_errors,
    set_operator_errors,
)
from sandbox.kubernetes.names import (
    dns_label_errors,
    dns_subdomain_errors,
    label_key_errors,
    label_value_errors,
    qualified_name_errors,
)

__all__ = ["pod_spec_errors", "resource_errors", "template_errors", "toleration_errors"]


def template_errors(template: Object, path: str) -> list[FieldError]:
    out = (
        metadata_errors(template.get("metadata") or {}, f"{path}.metadata")
        if template.get("metadata")
        else []
    )
    return out + pod_spec_errors(template["spec"], f"{path}.spec")


def pod_spec_errors(spec: Object, path: str) -> list[FieldError]:
    out: list[FieldError] = []
    names: set[str] = set()
    volumes = {volume.get("name") for volume in spec.get("volumes") or ()}
    if not spec.get("containers"):
        out.append(required(f"{path}.containers"))
    for key in ("containers", "initContainers"):
        for number, container in enumerate(spec.get(key) or ()):
            out += _container_errors(container, f"{path}.{key}[{number}]", names, volumes)
    if spec.get("restartPolicy") not in ("Always", "OnFailure", "Never"):
        out.append(
            not_supported(
                f"{path}.restartPolicy", spec.get("restartPolicy", ""), ["Always", "OnFailure", "Never"]
            )
        )
    if spec.get("dnsPolicy") not in ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"):
        out.append(
            not_supported(
                f"{path}.dnsPolicy",
                spec.get("dnsPolicy", ""),
                ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
            )
        )
    for key, value in (spec.get("nodeSelector") or {}).items():
        out += [invalid(f"{path}.nodeSelector", key, text) for text in label_key_errors(key)]
        out += [invalid(f"{path}.nodeSelector", value, text) for text in label_value_errors(value)]
    out += toleration_errors(spec, f"{path}.tolerations")
    out += _spread_errors(spec, f"{path}.topologySpreadConstraints")
    out += _affinity_errors(spec.get("affinity") or {}, f"{path}.affinity")
    if spec.get("priorityClassName"):
        out += [
            invalid(f"{path}.priorityClassName", spec["priorityClassName"], t)
            for t in dns_subdomain_errors(spec["priorityClassName"])
        ]
    if spec.get("runtimeClassName"):
        out += [
            invalid(f"{path}.runtimeClassName", spec["runtimeClassName"], t)
            for t in dns_subdomain_errors(spec["runtimeClassName"])
        ]
    return out


def _spread_errors(spec: Object, path: str) -> list[FieldError]:
    out: list[FieldError] = []
    for number, item in enumerate(spec.get("topologySpreadConstraints") or ()):
        here = f"{path}[{number}]"
        if item.get("maxSkew", 0) <= 0:
            out.append(invalid(f"{here}.maxSkew", item.get("maxSkew", 0), "must be greater than zero"))
        if not item.get("topologyKey"):
            out.append(required(f"{here}.topologyKey", "can not be empty"))
        if item.get("whenUnsatisfiable") not in ("DoNotSchedule", "ScheduleAnyway"):
            out.append(
                not_supported(
                    f"{here}.whenUnsatisfiable",
                    item.get("whenUnsatisfiable"),
                    ["DoNotSchedule", "ScheduleAnyway"],
                )
            )
    return out


def _container_errors(container: Object, path: str, names: set[str], volumes: set[str]) -> list[FieldError]:
    out: list[FieldError] = []
    name = container.get("name", "")
    if not name:
        out.append(required(f"{path}.name"))
    else:
        out += [invalid(f"{path}.name", name, text) for text in dns_label_errors(name)]
        if name in names:
            out.append(duplicate(f"{path}.name", name))
        names.add(name)
    if not container.get("image"):
        out.append(required(f"{path}.image"))
    elif container["image"] != container["image"].strip():
        out.append(
            invalid(f"{path}.image", container["image"], "must not have leading or trailing whitespace")
        )
    for number, mount in enumerate(container.get("volumeMounts") or ()):
        if mount.get("name") not in volumes:
            out.append(
                FieldError(
                    f"{path}.volumeMounts[{number}].name",
                    "FieldValueNotFound",
                    f'Not found: "{mount.get("name")}"',
                )
            )
    if container.get("imagePullPolicy") not in ("Always", "IfNotPresent", "Never"):
        out.append(
            not_supported(
                f"{path}.imagePullPolicy",
                container.get("imagePullPolicy", ""),
                ["Always", "IfNotPresent", "Never"],
            )
        )
    out += resource_errors(container.get("resources") or {}, f"{path}.resources")
    return out


def _extended(name: str) -> bool:
    return "/" in name and not name.partition("/")[0].endswith("kubernetes.io")


def resource_errors(resources: Object, path: str) -> list[FieldError]:
    out: list[FieldError] = []
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, text in limits.items():
        here = f"{path}.limits[{name}]"
        out += _resource_name_errors(name, here) + _amount_errors(name, text, here)
    for name, text in requests.items():
        here = f"{path}.requests[{name}]"
        out += _resource_name_errors(name, here) + _amount_errors(name, text, here)
        limit = limits.get(name)
        no_overcommit = _extended(name) or name.startswith("hugepages-")
        if limit is not None:
            if no_overcommit and quantities.parse(limit) != quantities.parse(text):
                out.append(invalid(f"{path}.requests", text, f"must be equal to {name} limit of {limit}"))
            elif quantities.parse(text) > quantities.parse(limit):
                out.append(
                    invalid(
                        f"{path}.requests", text, f"must be less than or equal to {name} limit of {limit}"
                    )
                )
        elif no_overcommit:
            out.append(required(f"{path}.limits", "Limit must be set for non overcommitable resources"))
    return out


def _resource_name_errors(name: str, path: str) -> list[FieldError]:
    if errors := qualified_name_errors(name):
        return [invalid(path, name, text) for text in errors]
    if (
        "/" not in name
        and name not in ("cpu", "memory", "ephemeral-storage")
        and not name.startswith("hugepages-")
    ):
        return [
            invalid(path, name, "must be a standard resource type or fully qualified"),
            invalid(path, name, "must be a standard resource for containers"),
        ]
    return []


def _amount_errors(name: str, text: str, path: str) -> list[FieldError]:
    value = quantities.parse(text)
    if value < 0:
        return [invalid(path, text, "must be greater than or equal to 0")]
    if _extended(name) and value != value.to_integral_value():
        return [invalid(path, text, "must be an integer")]
    return []


def toleration_errors(spec: Object, path: str) -> list[FieldError]:
    out: list[FieldError] = []
    for number, item in enumerate(spec.get("tolerations") or ()):
        here = f"{path}[{number}]"
        key, operator, effect = item.get("key", ""), item.get("operator", ""), item.get("effect", "")
        if key:
            out += [invalid(f"{here}.key", key, text) for text in label_key_errors(key)]
        elif operator != "Exists":
            out.append(
                invalid(
                    f"{here}.operator",
                    operator,
                    'operator must be Exists when `key` is empty, which means "match all values and all'
                    ' keys"',
                )
            )
        if item.get("tolerationSeconds") is not None and effect != "NoExecute":
            out.append(
                invalid(
                    f"{here}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"
                )
            )
        if operator in ("Equal", ""):
            if errors := label_value_errors(item.get("value", "")):
                out.append(invalid(f"{here}.operator", item.get("value", ""), "; ".join(errors)))
        elif operator == "Exists":
            if item.get("value"):
                out.append(
                    invalid(
                        f"{here}.operator", item["value"], "value must be empty when `operator` is 'Exists'"
                    )
                )
        else:
            out.append(not_supported(f"{here}.operator", operator, ["Equal", "Exists"]))
        if effect and effect not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
            out.append(
                not_supported(f"{here}.effect", effect, ["NoSchedule", "PreferNoSchedule", "NoExecute"])
            )
    return out


def _affinity_errors(affinity: Object, path: str) -> list[FieldError]:
    out: list[FieldError] = []
    node = affinity.get("nodeAffinity") or {}
    needed = node.get("requiredDuringSchedulingIgnoredDuringExecution")
    here = f"{path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    if needed is not None:
        if not needed.get("nodeSelectorTerms"):
            out.append(required(f"{here}.nodeSelectorTerms", "must have at least one node selector term"))
        for number, term in enumerate(needed.get("nodeSelectorTerms") or ()):
            out += _term_errors(term, f"{here}.nodeSelectorTerms[{number}]")
    for number, item in enumerate(node.get("preferredDuringSchedulingIgnoredDuringExecution") or ()):
        spot = f"{path}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[{number}]"
        if not 1 <= item.get("weight", 0) <= 100:
            out.append(invalid(f"{spot}.weight", item.get("weight", 0), "must be in the range 1-100"))
        out += _term_errors(item.get("preference") or {}, f"{spot}.preference")
    for kind in ("podAffinity", "podAntiAffinity"):
        for number, term in enumerate(
            (affinity.get(kind) or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or ()
        ):
            spot = f"{path}.{kind}.requiredDuringSchedulingIgnoredDuringExecution[{number}]"
            out += selector_errors(term.get("labelSelector"), f"{spot}.labelSelector")
            if not term.get("topologyKey"):
                out.append(required(f"{spot}.topologyKey", "can not be empty"))
    return out


def _term_errors(term: Object, path: str) -> list[FieldError]:
    out: list[FieldError] = []
    for number, item in enumerate(term.get("matchExpressions") or ()):
        here = f"{path}.matchExpressions[{number}]"
        operator, values = item.get("operator", ""), item.get("values")
        if operator in SET_OPERATORS:
            out += set_operator_errors(operator, values, here)
        elif operator in ("Gt", "Lt"):
            if len(values or ()) != 1:
                out.append(
                    required(
                        f"{here}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'"
                    )
                )
        else:
            out.append(invalid(f"{here}.operator", operator, "not a valid selector operator"))
        out += [
            invalid(f"{here}.key", item.get("key", ""), text)
            for text in label_key_errors(item.get("key", ""))
        ]
    return out
