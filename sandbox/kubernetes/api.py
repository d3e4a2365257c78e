"""One request from headers to answer: who asks, may he, what is it about, and in which form to answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.kubernetes import discovery
from sandbox.kubernetes.authorization import Action
from sandbox.kubernetes.cluster import Cluster
from sandbox.kubernetes.deleting import delete, delete_collection
from sandbox.kubernetes.errors import (
    ApiError,
    PlainError,
    forbidden,
    method_not_allowed,
    not_found,
    unauthorized,
)
from sandbox.kubernetes.impersonation import impersonate
from sandbox.kubernetes.jsontypes import Json, Object
from sandbox.kubernetes.negotiation import Form, negotiate
from sandbox.kubernetes.options import check_options
from sandbox.kubernetes.patch_writes import patch
from sandbox.kubernetes.reading import check_list_options, get, list_items, wrap_list
from sandbox.kubernetes.request import Call, User, parse_path, verb
from sandbox.kubernetes.resources import Resource
from sandbox.kubernetes.reviews import REVIEWS, review
from sandbox.kubernetes.subresources import SUBRESOURCES
from sandbox.kubernetes.tables import shaped, table
from sandbox.kubernetes.watching import Watch, is_watch
from sandbox.kubernetes.writing import create, replace
from sandbox.kubernetes.yaml_output import yaml_text

__all__ = ["Answer", "Api"]

_HEALTH = ("/healthz", "/livez", "/readyz", "/healthz/ping", "/livez/ping", "/readyz/ping")
Authenticate = Callable[[str, str], User | None]


@dataclass
class Answer:
    """A whole answer, or a watch to be streamed."""

    status: int
    body: bytes
    content_type: str = "application/json"
    warnings: tuple[str, ...] = ()
    watch: Watch | None = None


class Api:
    """The API server of one cluster."""

    def __init__(self, cluster: Cluster, authenticate: Authenticate) -> None:
        self._cluster = cluster
        self._authenticate = authenticate

    def handle(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, Any], body: bytes
    ) -> Answer:
        """Never raises for what a client can do wrong."""
        form = Form()
        call: Call | None = None
        try:
            user = self._user(headers)
            target = parse_path(path, self._cluster.catalog)
            asked = _action(Call(method, path, query, headers, body, user, target))
            user = impersonate(self._cluster, user, headers, asked)
            call = Call(method, path, query, headers, body, user, target)
            self._authorize(call)
            self._check_path(call)
            form = negotiate(headers.get("Accept", ""))
            answer = self._answer(call, form)
        except ApiError as error:
            answer = self._encode(error.code, error.status(), _error_form(headers))
        except PlainError as error:
            answer = Answer(error.code, error.text.encode(), "text/plain; charset=utf-8")
        if call is not None:
            answer.warnings = tuple(dict.fromkeys(call.warnings))
        self._cluster.settle()
        return answer

    def _user(self, headers: Mapping[str, Any]) -> User:
        header = headers.get("Authorization", "")
        kind, _, token = header.partition(" ")
        token = token.strip()
        if kind.lower() != "bearer" or not token:
            return User("system:anonymous", ("system:unauthenticated",))
        if account := self._cluster.service_tokens.get(token):
            namespace, name, uid, token_id = account
            extra = (("authentication.kubernetes.io/credential-id", (f"JTI={token_id}",)),)
            groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
            return User(f"system:serviceaccount:{namespace}:{name}", groups, uid, extra)
        user = self._authenticate(self._cluster.host, token)
        if user is None:
            raise unauthorized()
        if "system:authenticated" not in user.groups:
            user = User(user.username, (*user.groups, "system:authenticated"), user.uid)
        return user

    def _authorize(self, call: Call) -> None:
        target, action = call.target, _action(call)
        if not self._cluster.authorizer.allowed(call.user, action)[0]:
            text = self._cluster.authorizer.refusal(call.user, action)
            if not target.is_resource:
                raise ApiError(403, "Forbidden", f"forbidden: {text}", {})
            raise forbidden(target.group, target.plural, target.name, text)

    def _check_path(self, call: Call) -> None:
        """`//` is no path this server knows; what it says depends on where."""
        if "//" in call.path:
            if call.path.startswith("/api/") and not call.path.startswith("//"):
                raise discovery.unknown_path(self._cluster.catalog, "")
            raise PlainError(404, "404 page not found\n")

    def _answer(self, call: Call, form: Form) -> Answer:
        if not call.target.is_resource:
            return self._document(call, form)
        resource = self._resource(call)
        call.resource = resource
        if (
            call.resource.group == "kueue.x-k8s.io"
            and resource.version == "v1beta1"
            and "kueue" in self._cluster.features
        ):
            call.warnings.append("This version is deprecated. Use v1beta2 instead.")
        if call.target.subresource and call.target.subresource != "status":
            return self._subresource(call, resource, form)
        return self._resource_answer(call, resource, form)

    def _document(self, call: Call, form: Form) -> Answer:
        path, catalog = call.path, self._cluster.catalog
        bare = path.rstrip("/")
        if path in _HEALTH:
            return Answer(200, b"ok", "text/plain; charset=utf-8")
        if bare == "/version":
            return self._encode(200, discovery.version_document(self._cluster.version), form)
        if bare == "/openapi/v3":
            body = json.dumps(discovery.openapi_index(catalog), separators=(",", ":")).encode()
            return Answer(200, body, "text/plain; charset=utf-8")
        if path.startswith("/openapi/v3/"):
            schema = discovery.openapi_schema(catalog, path.removeprefix("/openapi/v3/"))
            return Answer(404, b"") if schema is None else self._encode(200, schema, form)
        if bare in ("/api", "/apis") and form.as_kind == "APIGroupDiscoveryList":
            answer = self._encode(200, discovery.aggregated(catalog, core=bare == "/api"), form)
            answer.content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
            return answer
        if bare.startswith(("/api", "/apis")) and bare.split("/")[1] in ("api", "apis"):
            if call.method not in ("GET", "HEAD"):
                raise method_not_allowed()
            return self._encode(200, discovery.document(catalog, path, self._cluster.host), form)
        raise PlainError(404, "404 page not found\n")

    def _resource(self, call: Call) -> Resource:
        target, catalog = call.target, self._cluster.catalog
        found = catalog.find(target.group, target.version, target.plural)
        if found is None or target.malformed:
            raise discovery.unknown_path(catalog, target.group)
        scope_wrong = (
            found.namespaced and not target.namespace and (target.name or call.method == "POST")
        ) or (not found.namespaced and target.namespace and target.plural != "namespaces")
        if scope_wrong:
            if call.method == "POST" and found.namespaced and not found.custom and not target.name:
                raise method_not_allowed()
            raise discovery.unknown_path(catalog, target.group)
        if target.subresource and target.subresource not in found.subresources:
            if found.custom:
                raise not_found(target.group, target.plural, target.name)
            raise discovery.unknown_path(catalog, target.group)
        return found

    def _subresource(self, call: Call, resource: Resource, form: Form) -> Answer:
        handler = SUBRESOURCES.get((resource.key, call.target.subresource))
        if handler is None:
            text = f"the sandbox does not emulate {resource.plural}/{call.target.subresource}"
            raise ApiError(501, "NotImplemented", text, None)
        if call.method not in ("GET", "POST", "PUT", "PATCH"):
            raise method_not_allowed()
        status, body = handler(self._cluster, call)
        if isinstance(body, str):
            return Answer(status, body.encode(), "text/plain; charset=utf-8")
        return self._encode(status, body, form)

    def _resource_answer(self, call: Call, resource: Resource, form: Form) -> Answer:
        method, name = call.method, call.target.name
        if method in ("GET", "HEAD"):
            return self._read(call, resource, form)
        if method not in ("POST", "PUT", "PATCH", "DELETE"):
            raise method_not_allowed()
        check_options(call, resource)
        if method == "POST" and not name:
            if "create" not in resource.verbs:
                raise method_not_allowed()
            maker = review if resource.kind in REVIEWS else create
            return self._encode_object(call, *maker(self._cluster, call), form)
        if (
            verb(call) not in resource.verbs
            or (method == "POST")
            or (call.target.subresource and method == "DELETE")
        ):
            raise method_not_allowed()
        if method == "DELETE":
            status, out = delete(self._cluster, call) if name else delete_collection(self._cluster, call)
            if out.get("kind", "").endswith("List"):
                return self._encode(status, out, form)
            return self._encode_object(call, status, out, form)
        if not name:
            raise method_not_allowed()
        return self._encode_object(call, *(replace if method == "PUT" else patch)(self._cluster, call), form)

    def _read(self, call: Call, resource: Resource, form: Form) -> Answer:
        name = call.target.name
        if verb(call) not in resource.verbs:
            raise method_not_allowed()
        if is_watch(call) and (not name or "/watch/" in call.path):
            if form.media == "yaml":
                accepted = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
                raise ApiError(
                    406, "NotAcceptable", f"only the following media types are accepted: {accepted}"
                )
            return Answer(200, b"", watch=Watch(self._cluster, call, resource, form))
        if name and form.as_kind == "PartialObjectMetadataList":
            text = (
                "you requested PartialObjectMetadataList, but the requested object is not a list"
                f" (*core.{resource.kind})"
            )
            raise ApiError(406, "NotAcceptable", text)
        if name:
            return self._encode_object(call, 200, get(self._cluster, call), form)
        if form.as_kind == "PartialObjectMetadata":
            text = (
                "you requested PartialObjectMetadata, but the requested object is a list"
                f" (*core.{resource.kind}List)"
            )
            raise ApiError(406, "NotAcceptable", text)
        check_list_options(call)
        items = list_items(self._cluster, call, resource)
        whole = wrap_list(self._cluster, call, resource, items, partial=bool(form.as_kind))
        if not form.as_kind:
            return self._encode(200, whole, form)
        kept = items
        if len(whole["items"]) != len(items):
            names = {(i["metadata"].get("namespace"), i["metadata"]["name"]) for i in whole["items"]}
            kept = [i for i in items if (i["metadata"].get("namespace"), i["metadata"]["name"]) in names]
        if form.as_kind == "Table":
            return self._encode(200, table(resource, kept, call, whole["metadata"]), form)
        out = {
            "kind": "PartialObjectMetadataList",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": whole["metadata"],
            "items": [shaped(item) for item in kept] or None,
        }
        return self._encode(200, out, form)

    def _encode_object(self, call: Call, status: int, obj: Object, form: Form) -> Answer:
        if obj.get("kind") != "Status" and call.resource is not None:
            if form.as_kind == "Table":
                obj = table(call.resource, [obj], call)
            elif form.as_kind.startswith("PartialObjectMetadata"):
                obj = shaped(obj)
        return self._encode(status, obj, form)

    def _encode(self, status: int, body: Json, form: Form) -> Answer:
        if form.media == "yaml":
            return Answer(status, yaml_text(body).encode(), "application/yaml")
        return Answer(status, json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode())


def _action(call: Call) -> Action:
    """What the request does, for the authoriser."""
    target = call.target
    if not target.is_resource:
        return Action(call.method.lower(), path=call.path)
    name = target.name or _selected_name(call)
    return Action(verb(call), target.group, target.plural, target.subresource, target.namespace, name)


def _selected_name(call: Call) -> str:
    """A list or watch of one object by its name is authorised like that object."""
    key, _, name = call.query.get("fieldSelector", "").partition("=")
    return name if key == "metadata.name" and verb(call) in ("list", "watch", "deletecollection") else ""


def _error_form(headers: Mapping[str, Any]) -> Form:
    """Errors follow the media type that was asked for, where it is one."""
    try:
        return Form(negotiate(headers.get("Accept", "")).media)
    except ApiError:
        return Form()
