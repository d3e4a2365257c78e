"""No credential survives scrubbing, whatever it is wrapped in; ordinary text stays."""

import pytest

from gpuplatform.scrubbing import MAX_TEXT, cap, scrub

KEY = "A" * 86 + "=="
TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJvaWQiOiIxMjM0NTY3OCJ9.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"got {TOKEN} from Entra", TOKEN),
        ("Authorization: Bearer abcdef123456", "abcdef123456"),
        (f"Authorization: SharedKey acct:{KEY}", KEY),
        ("https://a.blob.core.windows.net/c?sv=1&sig=abc%2Bdef&se=2", "abc%2Bdef"),
        (f"DefaultEndpointsProtocol=https;AccountKey={KEY};", KEY),
        ("client_secret=hunter2hunter2", "hunter2hunter2"),
        ('{"password": "correct-horse"}', "correct-horse"),
        (f"the key is {KEY}.", KEY),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----", "MIIE"),
    ],
)
def test_secret_is_hidden(text: str, secret: str) -> None:
    assert secret not in scrub(text)
    assert "(hidden)" in scrub(text)


def test_own_client_secret_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARM_CLIENT_SECRET", "a~plain word")
    assert scrub("auth with a~plain word went wrong") == "auth with (hidden) went wrong"


def test_ordinary_text_stays() -> None:
    text = "GPU VM size must be an N-series SKU (e.g., Standard_NC6s_v3, Standard_NC24ads_A100_v4)."
    assert scrub(text) == text


def test_cap_keeps_both_ends() -> None:
    text = "start" + "x" * (2 * MAX_TEXT) + "end"
    capped = cap(text)
    assert len(capped) <= MAX_TEXT
    assert capped.startswith("start")
    assert capped.endswith("end")
