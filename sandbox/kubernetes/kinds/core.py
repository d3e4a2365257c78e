"""Namespaces, ServiceAccounts, ConfigMaps, Secrets, Services and the other small core kinds."""

from __future__ import annotations

import base64
import re

from sandbox.kubernetes.field_errors import FieldError, forbidden_field, invalid, required, too_long
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.kinds.rules import KindRules
from sandbox.kubernetes.names import dns_1035_errors, dns_label_errors

__all__ = ["CLAIM", "CONFIG_MAP", "NAMESPACE", "PLAIN", "SECRET", "SERVICE", "SERVICE_ACCOUNT"]

_NAME_LABEL = "kubernetes.io/metadata.name"
_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_KEY_TEXT = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
    " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


def _namespace_default(obj: Object) -> None:
    if name := obj["metadata"].get("name"):
        obj["metadata"].setdefault("labels", {})[_NAME_LABEL] = name


def _namespace_prepare(new: Object, old: Object | None) -> None:
    if old is None:
        new["status"] = {"phase": "Active"}
        finalizers = new["spec"].setdefault("finalizers", [])
        if "kubernetes" not in finalizers:
            finalizers.append("kubernetes")
    else:
        new["spec"]["finalizers"] = at(old, "spec", "finalizers") or []
        if not new["spec"]["finalizers"]:
            del new["spec"]["finalizers"]
        new["status"] = old.get("status", {})


def _namespace_validate(obj: Object) -> list[FieldError]:
    out = []
    for mode in ("enforce", "audit", "warn"):
        key = f"pod-security.kubernetes.io/{mode}"
        labels = obj["metadata"].get("labels") or {}
        level, version = labels.get(key), labels.get(f"{key}-version")
        if level is not None and level not in ("privileged", "baseline", "restricted"):
            out.append(
                invalid(f"metadata.labels[{key}]", level, "must be one of privileged, baseline, restricted")
            )
        if version is not None and not re.fullmatch(r"latest|v1\.(0|[1-9]\d*)", version):
            out.append(invalid(f"metadata.labels[{key}-version]", version, 'must be "latest" or "v1.x"'))
    return out


NAMESPACE = KindRules(
    default=_namespace_default,
    prepare=_namespace_prepare,
    validate=_namespace_validate,
    name_errors=dns_label_errors,
)


def _keys(obj: Object, field: str) -> list[FieldError]:
    out = []
    for key in obj.get(field) or {}:
        if not _KEY.fullmatch(key):
            out.append(invalid(f"{field}[{key}]", key, _KEY_TEXT))
        elif len(key) > 253:
            out.append(invalid(f"{field}[{key}]", key, "must be no more than 253 characters"))
    return out


def _config_map_validate(obj: Object) -> list[FieldError]:
    out = _keys(obj, "data") + _keys(obj, "binaryData")
    out += [
        invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
        for key in obj.get("data") or {}
        if key in (obj.get("binaryData") or {})
    ]
    size = sum(len(value.encode()) for value in (obj.get("data") or {}).values())
    if size > 1 << 20:
        out.append(too_long("", 1 << 20))
    return out


def _claim_prepare(new: Object, old: Object | None) -> None:
    if old is None:
        new["status"] = {"phase": "Pending"}
        finalizers = new["metadata"].setdefault("finalizers", [])
        if "kubernetes.io/pvc-protection" not in finalizers:
            finalizers.append("kubernetes.io/pvc-protection")
    else:
        new["status"] = old.get("status", {})


CLAIM = KindRules(prepare=_claim_prepare)


def _immutable(new: Object, old: Object) -> list[FieldError]:
    if not old.get("immutable"):
        return []
    out = []
    if not new.get("immutable"):
        out.append(forbidden_field("immutable", "field is immutable when `immutable` is set"))
    out += [
        forbidden_field(field, "field is immutable when `immutable` is set")
        for field in ("data", "binaryData")
        if new.get(field) != old.get(field)
    ]
    return out


CONFIG_MAP = KindRules(validate=_config_map_validate, validate_update=_immutable)


def _secret_default(obj: Object) -> None:
    strings = obj.pop("stringData", None)
    if strings:
        data = obj.setdefault("data", {})
        for key, value in strings.items():
            data[key] = base64.b64encode(value.encode()).decode()


def _secret_validate(obj: Object) -> list[FieldError]:
    out = _keys(obj, "data")
    if obj.get("type") == "kubernetes.io/dockerconfigjson" and ".dockerconfigjson" not in (
        obj.get("data") or {}
    ):
        out.append(required("data[.dockerconfigjson]"))
    if obj.get("type") == "kubernetes.io/tls":
        out += [
            required(f"data[{key}]") for key in ("tls.crt", "tls.key") if key not in (obj.get("data") or {})
        ]
    return out


def _secret_update(new: Object, old: Object) -> list[FieldError]:
    out = _immutable(new, old)
    if new.get("type") != old.get("type"):
        out.append(invalid("type", new.get("type"), "field is immutable"))
    return out


SECRET = KindRules(default=_secret_default, validate=_secret_validate, validate_update=_secret_update)

SERVICE_ACCOUNT = KindRules()
PLAIN = KindRules()


def _service_default(obj: Object) -> None:
    spec = obj["spec"]
    for port in spec.get("ports") or ():
        port.setdefault("targetPort", port.get("port"))
    if spec.get("type") in ("ClusterIP", "NodePort", "LoadBalancer"):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec.get("type") in ("NodePort", "LoadBalancer"):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec.get("type") == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def _service_validate(obj: Object) -> list[FieldError]:
    spec = obj["spec"]
    if not spec.get("ports") and spec.get("clusterIP") != "None" and spec.get("type") != "ExternalName":
        return [required("spec.ports")]
    return []


def _service_prepare(new: Object, old: Object | None) -> None:
    """A cluster IP of 10.0.0.0/16, by the service's uid; the allocator's part."""
    spec = new["spec"]
    if old is not None:
        for key in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if key in old["spec"]:
                spec.setdefault(key, old["spec"][key])
        return
    new["status"] = {"loadBalancer": {}}
    if spec.get("type") == "ExternalName":
        return
    if not spec.get("clusterIP"):
        digits = int(new["metadata"]["uid"].replace("-", "")[:4], 16)
        spec["clusterIP"] = f"10.0.{digits >> 8 & 255}.{max(digits & 255, 11)}"
    spec["clusterIPs"] = [spec["clusterIP"]]
    spec.setdefault("ipFamilies", ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "SingleStack")


SERVICE = KindRules(
    prepare=_service_prepare,
    default=_service_default,
    validate=_service_validate,
    name_errors=dns_1035_errors,
)
