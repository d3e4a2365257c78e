"""Pod Security admission: the baseline and restricted levels of a namespace's labels."""

from __future__ import annotations

from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.errors import forbidden
from sandbox.kubernetes.jsontypes import Object, at
from sandbox.kubernetes.request import Call

__all__ = ["check", "matters", "violations"]

_PREFIX = "pod-security.kubernetes.io/"
_CAPABILITIES = frozenset(
    [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ]
)


def check(cluster: Cluster, call: Call, pod: Object) -> None:
    """Raises ApiError (403) for `enforce`; warns for `warn`."""
    namespace = cluster.get("", "namespaces", "", pod["metadata"]["namespace"])
    labels = at(namespace, "metadata", "labels") or {}
    level = labels.get(f"{_PREFIX}enforce", "privileged")
    if found := violations(pod["spec"], level):
        version = labels.get(f"{_PREFIX}enforce-version", "latest")
        text = f'violates PodSecurity "{level}:{version}": {", ".join(found)}'
        raise forbidden("", "pods", pod["metadata"]["name"], text)
    level = labels.get(f"{_PREFIX}warn", "privileged")
    if found := violations(pod["spec"], level):
        version = labels.get(f"{_PREFIX}warn-version", "latest")
        call.warnings.append(f'would violate PodSecurity "{level}:{version}": {", ".join(found)}')


def matters(new: Object, old: Object) -> bool:
    """An update is judged again only where it brings other images or containers."""

    def images(pod: Object) -> list[tuple[str, str]]:
        return [(item["name"], item.get("image", "")) for item in _all(pod["spec"])]

    return images(new) != images(old)


def violations(spec: Object, level: str) -> list[str]:
    if level not in ("baseline", "restricted"):
        return []
    out = _baseline(spec)
    return out + _restricted(spec) if level == "restricted" else out


def _all(spec: Object) -> list[Object]:
    return [
        *(spec.get("initContainers") or ()),
        *(spec.get("containers") or ()),
        *(spec.get("ephemeralContainers") or ()),
    ]


def _named(containers: list[Object]) -> str:
    noun = "container" if len(containers) == 1 else "containers"
    return f"{noun} {', '.join(chr(34) + c['name'] + chr(34) for c in containers)}"


def _baseline(spec: Object) -> list[str]:
    containers = _all(spec)
    out = []
    bad = [
        c for c in containers if set(at(c, "securityContext", "capabilities", "add") or ()) - _CAPABILITIES
    ]
    if bad:
        names = sorted(
            {
                cap
                for c in bad
                for cap in c["securityContext"]["capabilities"]["add"]
                if cap not in _CAPABILITIES
            }
        )
        listed = ", ".join(f'"{name}"' for name in names)
        out.append(
            f"non-default capabilities ({_named(bad)} must not include {listed} in"
            " securityContext.capabilities.add)"
        )
    if shared := [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]:
        out.append(f"host namespaces ({', '.join(shared)})")
    if paths := [v["name"] for v in spec.get("volumes") or () if "hostPath" in v]:
        noun = "volume" if len(paths) == 1 else "volumes"
        out.append(f"hostPath volumes ({noun} {', '.join(chr(34) + n + chr(34) for n in paths)})")
    if ports := [c for c in containers if any(p.get("hostPort") for p in c.get("ports") or ())]:
        numbers = sorted({str(p["hostPort"]) for c in ports for p in c["ports"] if p.get("hostPort")})
        verb = "uses" if len(ports) == 1 else "use"
        noun = "hostPort" if len(numbers) == 1 else "hostPorts"
        out.append(f"hostPort ({_named(ports)} {verb} {noun} {', '.join(numbers)})")
    if privileged := [c for c in containers if at(c, "securityContext", "privileged")]:
        out.append(f"privileged ({_named(privileged)} must not set securityContext.privileged=true)")
    return out


def _restricted(spec: Object) -> list[str]:
    containers = _all(spec)
    out = []
    escalating = [c for c in containers if at(c, "securityContext", "allowPrivilegeEscalation") is not False]
    if escalating:
        out.append(
            f"allowPrivilegeEscalation != false ({_named(escalating)} must set"
            " securityContext.allowPrivilegeEscalation=false)"
        )
    keeping = [c for c in containers if "ALL" not in (at(c, "securityContext", "capabilities", "drop") or ())]
    if keeping:
        out.append(
            f"unrestricted capabilities ({_named(keeping)} must set"
            ' securityContext.capabilities.drop=["ALL"])'
        )
    if not at(spec, "securityContext", "runAsNonRoot"):
        rooted = [c for c in containers if not at(c, "securityContext", "runAsNonRoot")]
        if rooted:
            out.append(
                f"runAsNonRoot != true (pod or {_named(rooted)} must set securityContext.runAsNonRoot=true)"
            )
    if at(spec, "securityContext", "seccompProfile", "type") not in ("RuntimeDefault", "Localhost"):
        loose = [
            c
            for c in containers
            if at(c, "securityContext", "seccompProfile", "type") not in ("RuntimeDefault", "Localhost")
        ]
        if loose:
            out.append(
                f"seccompProfile (pod or {_named(loose)} must set securityContext.seccompProfile.type to"
                ' "RuntimeDefault" or "Localhost")'
            )
    return out
