"""Entra ID, asked by the clients themselves and by hand."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx
import jwt
import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import ClientSecretCredential, DefaultAzureCredential
from azure.identity.aio import ClientSecretCredential as AsyncClientSecretCredential

from sandbox.entra.directory import Application
from sandbox.entra.tokens import LIFETIME, TokenError, Tokens
from sandbox.identity import Identity, identity_of
from sandbox.state import State
from tests.sandbox.core.conftest import Core

LOGIN = "https://login.microsoftonline.com"


def claims_of(token: str) -> dict[str, Any]:
    return jwt.decode(token, options={"verify_signature": False})


async def ask(path: str, form: dict[str, str] | None = None) -> httpx.Response:
    async with httpx.AsyncClient() as client:
        if form is None:
            return await client.get(LOGIN + path)
        return await client.post(LOGIN + path, data=form)


def form_of(identity: Identity, **changes: str) -> dict[str, str]:
    form = {
        "grant_type": "client_credentials",
        "client_id": identity.client_id,
        "client_secret": identity.client_secret,
        "scope": "https://storage.azure.com/.default",
    }
    return {key: value for key, value in (form | changes).items() if value}


async def test_the_default_credential_gets_a_token_from_the_environment(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_TENANT_ID", core.identity.tenant_id)
    monkeypatch.setenv("AZURE_CLIENT_ID", core.identity.client_id)
    monkeypatch.setenv("AZURE_CLIENT_SECRET", core.identity.client_secret)

    def get() -> str:
        with DefaultAzureCredential() as credential:
            return credential.get_token("https://management.azure.com/.default").token

    principal = core.tokens.verify(await asyncio.to_thread(get))
    assert principal.object_id == core.identity.object_id
    assert principal.audience == "https://management.azure.com"
    assert principal.kind == "ServicePrincipal"


async def test_the_asynchronous_credential_works_as_well(core: Core) -> None:
    identity = core.identity
    async with AsyncClientSecretCredential(
        identity.tenant_id, identity.client_id, identity.client_secret
    ) as credential:
        token = await credential.get_token("https://storage.azure.com/.default")
    assert core.tokens.verify(token.token).audience == "https://storage.azure.com"


@pytest.mark.parametrize(
    ("tenant", "client", "secret", "code"),
    [
        ("", "", "wrong", "AADSTS7000215"),
        ("", "00000000-0000-0000-0000-00000000dead", "", "AADSTS700016"),
        ("00000000-0000-0000-0000-00000000beef", "", "", "AADSTS90002"),
    ],
)
async def test_a_wrong_credential_fails_in_the_client_with_azures_code(
    core: Core, tenant: str, client: str, secret: str, code: str
) -> None:
    identity = core.identity
    # The authority is looked up first for a tenant that does not exist: MSAL says so in its own words.
    expected = "Unable to get authority configuration|AADSTS90002" if tenant else code

    def get() -> None:
        with ClientSecretCredential(
            tenant or identity.tenant_id,
            client or identity.client_id,
            secret or identity.client_secret,
        ) as credential:
            credential.get_token("https://management.azure.com/.default")

    with pytest.raises((ClientAuthenticationError, ValueError), match=expected):
        await asyncio.to_thread(get)


@pytest.mark.parametrize(
    ("scope", "audience"),
    [
        ("https://management.azure.com/.default", "https://management.azure.com"),
        ("https://management.core.windows.net//.default", "https://management.core.windows.net/"),
        ("6dae42f8-4368-4678-94ff-3960e28e3630/.default", "6dae42f8-4368-4678-94ff-3960e28e3630"),
        ("https://acct.blob.core.windows.net/.default", "https://acct.blob.core.windows.net"),
    ],
)
async def test_the_audience_is_the_scope_without_its_suffix(core: Core, scope: str, audience: str) -> None:
    answer = await ask(f"/{core.identity.tenant_id}/oauth2/v2.0/token", form_of(core.identity, scope=scope))
    assert answer.status_code == 200
    body = answer.json()
    claims = claims_of(body["access_token"])
    assert (body["token_type"], body["expires_in"]) == ("Bearer", LIFETIME)
    assert claims["aud"] == audience
    assert claims["iss"] == f"https://sts.windows.net/{core.identity.tenant_id}/"
    assert (claims["appid"], claims["oid"], claims["tid"]) == (
        core.identity.client_id,
        core.identity.object_id,
        core.identity.tenant_id,
    )
    assert claims["nbf"] <= time.time() < claims["exp"]


async def test_version_1_takes_a_resource(core: Core) -> None:
    form = form_of(core.identity, scope="", resource="https://management.azure.com/")
    answer = await ask(f"/{core.identity.tenant_id}/oauth2/token", form)
    assert answer.json()["resource"] == "https://management.azure.com/"
    assert claims_of(answer.json()["access_token"])["aud"] == "https://management.azure.com/"


@pytest.mark.parametrize(
    ("changes", "status", "error", "code"),
    [
        ({"grant_type": ""}, 400, "invalid_request", 900144),
        ({"grant_type": "password"}, 400, "unsupported_grant_type", 70003),
        ({"client_id": ""}, 400, "invalid_request", 900144),
        ({"client_secret": ""}, 401, "invalid_client", 7000218),
        ({"client_secret": "no"}, 401, "invalid_client", 7000215),
        ({"scope": ""}, 400, "invalid_request", 900144),
        ({"scope": "User.Read"}, 400, "invalid_scope", 1002012),
        ({"scope": "https://example.org/.default"}, 400, "invalid_resource", 500011),
    ],
)
async def test_each_mistake_has_its_code(
    core: Core, changes: dict[str, str], status: int, error: str, code: int
) -> None:
    answer = await ask(f"/{core.identity.tenant_id}/oauth2/v2.0/token", form_of(core.identity, **changes))
    body = answer.json()
    assert (answer.status_code, body["error"], body["error_codes"]) == (status, error, [code])
    assert body["error_description"].startswith(f"AADSTS{code}: ")
    assert core.identity.client_secret not in answer.text


async def test_credentials_may_come_in_the_authorization_header(core: Core) -> None:
    identity = core.identity
    form = form_of(identity, client_id="", client_secret="")
    async with httpx.AsyncClient(auth=(identity.client_id, identity.client_secret)) as client:
        answer = await client.post(f"{LOGIN}/{identity.tenant_id}/oauth2/v2.0/token", data=form)
    assert answer.status_code == 200


async def test_published_keys_verify_a_token(core: Core) -> None:
    configuration = (await ask(f"/{core.identity.tenant_id}/v2.0/.well-known/openid-configuration")).json()
    keys = await ask(configuration["jwks_uri"].removeprefix(LOGIN))
    token = core.tokens.issue(core.identity.client_id, "https://storage.azure.com/.default")
    key = jwt.PyJWKSet.from_dict(keys.json())[jwt.get_unverified_header(token)["kid"]]
    decoded = jwt.decode(token, key, algorithms=["RS256"], audience="https://storage.azure.com")
    assert decoded["oid"] == core.identity.object_id


async def test_an_unknown_endpoint_says_so(core: Core) -> None:
    answer = await ask(f"/{core.identity.tenant_id}/oauth2/v2.0/devicecode", {"a": "b"})
    assert answer.status_code == 404
    assert "devicecode" in answer.json()["error_description"]


async def test_graph_finds_the_service_principal(core: Core) -> None:
    token = core.tokens.issue(core.identity.client_id, "https://graph.microsoft.com/.default")
    headers = {"Authorization": f"Bearer {token}"}
    base = "https://graph.microsoft.com/v1.0"
    async with httpx.AsyncClient(headers=headers) as client:
        by_id = await client.get(f"{base}/servicePrincipals/{core.identity.object_id}")
        query = {"$filter": f"servicePrincipalNames/any(c:c eq '{core.identity.client_id}')"}
        found = await client.get(f"{base}/servicePrincipals", params=query)
        missing = await client.get(f"{base}/servicePrincipals/nobody")
        unsupported = await client.get(f"{base}/users")
        bad = await client.get(f"{base}/users", headers={"Authorization": "Bearer x"})
    assert by_id.json()["appId"] == core.identity.client_id
    assert [row["id"] for row in found.json()["value"]] == [core.identity.object_id]
    assert (missing.status_code, unsupported.status_code, bad.status_code) == (404, 501, 401)
    assert "/v1.0/users" in unsupported.json()["error"]["message"]


def test_a_token_of_another_sandbox_is_refused() -> None:
    state, other = State(), State()
    try:
        identity = identity_of(state)
        ours, theirs = Tokens(state, identity), Tokens(other, identity)
        token = theirs.issue(identity.client_id, "https://storage.azure.com")
        with pytest.raises(TokenError, match="Signature verification failed") as caught:
            ours.verify(token)
        assert token not in str(caught.value)
        with pytest.raises(TokenError):
            ours.verify("not.a.token")
    finally:
        state.close()
        other.close()


def test_an_expired_token_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    state = State()
    identity = identity_of(state)
    tokens = Tokens(state, identity)
    issued = time.time() - LIFETIME - 60
    with monkeypatch.context() as patched:
        patched.setattr("sandbox.entra.tokens.time.time", lambda: issued)
        token = tokens.issue(identity.client_id, "https://storage.azure.com")
    with pytest.raises(TokenError, match="expired"):
        tokens.verify(token)
    state.close()


def test_the_key_and_added_applications_survive_a_restart(tmp_path: Any) -> None:
    first = State(tmp_path / "state.sqlite")
    identity = identity_of(first)
    tokens = Tokens(first, identity)
    tokens.directory.add(Application("app-2", "object-2", "Second", "secret-2", groups=("g1",)))
    token = tokens.issue("app-2", "https://storage.azure.com")
    first.close()
    second = State(tmp_path / "state.sqlite")
    again = Tokens(second, identity_of(second))
    assert identity_of(second) == identity
    assert again.verify(token).groups == ("g1",)
    assert "secret-2" not in repr(again.directory.find("APP-2"))
    second.close()
