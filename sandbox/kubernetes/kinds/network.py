"""NetworkPolicy."""

from __future__ import annotations

import ipaddress
import re

from sandbox.kubernetes.field_errors import FieldError, forbidden_field, invalid, not_supported, required
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.kinds.labels import selector_errors
from sandbox.kubernetes.kinds.rules import KindRules

__all__ = ["NETWORK_POLICY"]

_CIDR_TEXT = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def _default(obj: Object) -> None:
    spec = obj["spec"]
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def _validate(obj: Object) -> list[FieldError]:
    spec = obj["spec"]
    out = selector_errors(spec["podSelector"], "spec.podSelector")
    for number, rule in enumerate(spec.get("ingress") or ()):
        out += _rule_errors(rule, "from", f"spec.ingress[{number}]")
    for number, rule in enumerate(spec.get("egress") or ()):
        out += _rule_errors(rule, "to", f"spec.egress[{number}]")
    types = spec.get("policyTypes") or ()
    if len(types) > 2:
        out.append(invalid("spec.policyTypes", types, "may not specify more than two policyTypes"))
        return out
    out += [
        not_supported(f"spec.policyTypes[{number}]", kind, ["Ingress", "Egress"])
        for number, kind in enumerate(types)
        if kind not in ("Ingress", "Egress")
    ]
    return out


def _rule_errors(rule: Object, peers: str, path: str) -> list[FieldError]:
    out: list[FieldError] = []
    for number, port in enumerate(rule.get("ports") or ()):
        out += _port_errors(port, f"{path}.ports[{number}]")
    for number, peer in enumerate(rule.get(peers) or ()):
        out += _peer_errors(peer, f"{path}.{peers}[{number}]")
    return out


def _port_errors(port: Object, path: str) -> list[FieldError]:
    out = []
    if port.get("protocol") not in ("TCP", "UDP", "SCTP"):
        out.append(not_supported(f"{path}.protocol", port.get("protocol"), ["SCTP", "TCP", "UDP"]))
    value, end = port.get("port"), port.get("endPort")
    if isinstance(value, int):
        if not 1 <= value <= 65535:
            out.append(invalid(f"{path}.port", value, "must be between 1 and 65535, inclusive"))
        if end is not None:
            if end < value:
                out.append(invalid(f"{path}.endPort", value, "must be greater than or equal to `port`"))
            if not 1 <= end <= 65535:
                out.append(invalid(f"{path}.endPort", end, "must be between 1 and 65535, inclusive"))
    elif isinstance(value, str):
        if end is not None:
            out.append(invalid(f"{path}.endPort", end, "may not be specified when `port` is non-numeric"))
        out += [invalid(f"{path}.port", value, text) for text in _port_name_errors(value)]
    elif end is not None:
        out.append(invalid(f"{path}.endPort", end, "may not be specified when `port` is not specified"))
    return out


def _port_name_errors(name: str) -> list[str]:
    out = []
    if len(name) > 15:
        out.append("must be no more than 15 characters")
    if not name.replace("-", "").isalnum() or name.lower() != name:
        out.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not any(char.isalpha() for char in name):
        out.append("must contain at least one letter (a-z)")
    if "--" in name:
        out.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        out.append("must not begin or end with a hyphen")
    return out


def _peer_errors(peer: Object, path: str) -> list[FieldError]:
    out: list[FieldError] = []
    kinds = sum(key in peer for key in ("podSelector", "namespaceSelector"))
    for key in ("podSelector", "namespaceSelector"):
        if key in peer:
            out += selector_errors(peer[key], f"{path}.{key}")
    if "ipBlock" in peer:
        out += _block_errors(peer["ipBlock"], f"{path}.ipBlock")
        if kinds:
            out.append(forbidden_field(path, "may not specify both ipBlock and another peer"))
    elif not kinds:
        out.append(required(path, "must specify a peer"))
    return out


def _block_errors(block: Object, path: str) -> list[FieldError]:
    if not block.get("cidr"):
        return [required(f"{path}.cidr")]
    out: list[FieldError] = []
    network = _network(block["cidr"])
    if network is None:
        leading = re.search(r"(^|[./])0\d", block["cidr"]) and "/" in block["cidr"]
        text = "must not have leading 0s in IP or prefix length" if leading else _CIDR_TEXT
        return [invalid(f"{path}.cidr", block["cidr"], text)]
    if str(network.network_address) != block["cidr"].partition("/")[0]:
        return [invalid(f"{path}.cidr", block["cidr"], "must not have bits set beyond the prefix length")]
    for number, text in enumerate(block.get("except") or ()):
        inner = _network(text)
        here = f"{path}.except[{number}]"
        if inner is None:
            out.append(invalid(here, text, _CIDR_TEXT))
        elif (
            inner.version != network.version
            or int(inner.network_address)
            not in range(int(network.network_address), int(network.broadcast_address) + 1)
            or inner.prefixlen <= network.prefixlen
        ):
            out.append(invalid(here, text, "must be a strict subset of `cidr`"))
    return out


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    if "/" not in text:
        return None
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


NETWORK_POLICY = KindRules(default=_default, validate=_validate, generation=True)
