"""Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs."""

from __future__ import annotations

from sandbox.kubernetes.field_errors import FieldError, invalid, not_supported, required
from sandbox.kubernetes.jsontypes import Object, at, clone
from sandbox.kubernetes.kinds.labels import selector_errors
from sandbox.kubernetes.kinds.pod_defaults import default_template
from sandbox.kubernetes.kinds.pod_validation import template_errors
from sandbox.kubernetes.kinds.rules import KindRules
from sandbox.kubernetes.selectors import matches_label_selector

__all__ = ["CRON_JOB", "DAEMON_SET", "DEPLOYMENT", "JOB", "REPLICA_SET", "STATEFUL_SET"]


def _deployment_default(obj: Object) -> None:
    default_template(obj["spec"]["template"])
    strategy = obj["spec"].setdefault("strategy", {})
    if strategy.get("type") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")


def _template_default(obj: Object) -> None:
    default_template(obj["spec"]["template"])


def _daemon_default(obj: Object) -> None:
    default_template(obj["spec"]["template"])
    strategy = obj["spec"].setdefault("updateStrategy", {})
    if strategy.get("type") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)


def _stateful_default(obj: Object) -> None:
    default_template(obj["spec"]["template"])
    strategy = obj["spec"].setdefault("updateStrategy", {})
    if strategy.get("type") == "RollingUpdate":
        strategy.setdefault("rollingUpdate", {}).setdefault("partition", 0)


def _status_kept(new: Object, old: Object | None) -> None:
    if old is not None:
        new["status"] = old.get("status", {})


def _deployment_prepare(new: Object, old: Object | None) -> None:
    _status_kept(new, old)
    if old is None:
        new["status"] = {}


def _replica_prepare(new: Object, old: Object | None) -> None:
    _status_kept(new, old)
    if old is None:
        new["status"] = {"replicas": 0}


def _selector_errors(spec: Object) -> tuple[list[FieldError], bool]:
    """The errors, and whether the selector can be used at all."""
    selector = spec.get("selector")
    if selector is None:
        return [required("spec.selector")], True
    out = selector_errors(selector, "spec.selector")
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        out.append(invalid("spec.selector", {}, "empty selector is invalid for deployment"))
    elif out:
        return [*out, invalid("spec.selector", selector, "invalid label selector")], False
    return out, True


def _deployment_validate(obj: Object) -> list[FieldError]:
    spec = obj["spec"]
    out = []
    if spec.get("replicas", 0) < 0:
        out.append(invalid("spec.replicas", spec["replicas"], "must be greater than or equal to 0"))
    problems, usable = _selector_errors(spec)
    out += problems
    if not usable:
        # The server reads the template only with a selector to compare it with.
        return out
    labels = at(spec, "template", "metadata", "labels")
    if not (spec.get("selector") and matches_label_selector(spec["selector"], labels)):
        text = "`selector` does not match template `labels`"
        out.append(invalid("spec.template.metadata.labels", labels, text))
    out += template_errors(spec["template"], "spec.template")
    policy = at(spec, "template", "spec", "restartPolicy")
    if policy != "Always":
        out.append(not_supported("spec.template.spec.restartPolicy", policy, ["Always"]))
    return out


def _selector_fixed(new: Object, old: Object) -> list[FieldError]:
    if new["spec"].get("selector") != old["spec"].get("selector"):
        return [invalid("spec.selector", new["spec"].get("selector"), "field is immutable")]
    return []


DEPLOYMENT = KindRules(
    default=_deployment_default,
    prepare=_deployment_prepare,
    validate=_deployment_validate,
    validate_update=_selector_fixed,
    generation=True,
)
REPLICA_SET = KindRules(
    default=_template_default,
    prepare=_replica_prepare,
    validate=_deployment_validate,
    validate_update=_selector_fixed,
    generation=True,
)
STATEFUL_SET = KindRules(
    default=_stateful_default, prepare=_status_kept, validate=_deployment_validate, generation=True
)
DAEMON_SET = KindRules(
    default=_daemon_default, prepare=_status_kept, validate=_deployment_validate, generation=True
)


def _job_default(obj: Object) -> None:
    spec = obj["spec"]
    default_template(spec["template"])
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = spec["parallelism"] = 1
    spec.setdefault("parallelism", 1)


def _job_prepare(new: Object, old: Object | None) -> None:
    if old is not None:
        new["status"] = old.get("status", {})
        return
    new["status"] = {}
    spec, uid, name = new["spec"], new["metadata"]["uid"], new["metadata"]["name"]
    if spec.get("manualSelector"):
        return
    labels = {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
        "controller-uid": uid,
        "job-name": name,
    }
    metadata = spec["template"].setdefault("metadata", {})
    metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
    if not new["metadata"].get("labels"):
        new["metadata"]["labels"] = clone(metadata["labels"])
    spec.setdefault("selector", {}).setdefault("matchLabels", {})["batch.kubernetes.io/controller-uid"] = uid


def _negative(spec: Object, field: str) -> list[FieldError]:
    value = spec.get(field)
    if value is None or value >= 0:
        return []
    return [invalid(f"spec.{field}", value, "must be greater than or equal to 0")]


def _job_validate(obj: Object) -> list[FieldError]:
    spec = obj["spec"]
    out = []
    for field in (
        "parallelism",
        "completions",
        "backoffLimit",
        "activeDeadlineSeconds",
        "ttlSecondsAfterFinished",
    ):
        out += _negative(spec, field)
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        out.append(required("spec.completions", "when completion mode is Indexed"))
    out += template_errors(spec["template"], "spec.template")
    policy = at(spec, "template", "spec", "restartPolicy")
    if policy == "Always":
        # The server names the value where a Job may not restart for ever.
        out.append(required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"'))
    elif policy not in ("OnFailure", "Never"):
        out.append(not_supported("spec.template.spec.restartPolicy", policy, ["OnFailure", "Never"]))
    return out


def _job_update(new: Object, old: Object) -> list[FieldError]:
    out = []
    out += [
        invalid(f"spec.{field}", new["spec"].get(field), "field is immutable")
        for field in ("completions", "selector", "completionMode", "manualSelector")
        if new["spec"].get(field) != old["spec"].get(field)
    ]
    if new["spec"]["template"] != old["spec"]["template"] and not _may_change_template(old):
        out.append(invalid("spec.template", new["spec"]["template"], "field is immutable"))
    return out


def _may_change_template(old: Object) -> bool:
    """The scheduling parts of a suspended Job that never started may change."""
    return bool(old["spec"].get("suspend")) and not at(old, "status", "startTime")


JOB = KindRules(
    default=_job_default,
    prepare=_job_prepare,
    validate=_job_validate,
    validate_update=_job_update,
    generation=True,
)


def _cron_default(obj: Object) -> None:
    job = {"spec": obj["spec"]["jobTemplate"]["spec"]}
    default_template(job["spec"]["template"])


CRON_JOB = KindRules(default=_cron_default, prepare=_status_kept, generation=True)
