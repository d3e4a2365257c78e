"""The operator's part in the real Prefect UI, in a real browser.

`SCREENSHOTS=docs/images pytest tests/e2e/test_browser.py` writes the pictures of the documentation anew.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.e2e.conftest import APPROVER, Platform

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH: the browser tests need one"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # The page is ours and on loopback; the rest keeps the browser from calling home.
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
            ],
        )  # fmt: skip
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(20_000)
    yield page
    page.close()


def _picture(page: Page, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        page.wait_for_timeout(500)  # transitions
        page.screenshot(path=Path(folder) / f"{name}.png")


def _choose(form: Locator, page: Page, option: str) -> None:
    form.locator(".p-select-button__control").focus()
    page.keyboard.press("ArrowDown")
    page.locator(".p-select-option", has_text=option).first.click()


def _submit(form: Locator) -> None:
    """Submit until it is accepted: a busy SQLite answers 503, and a person presses the button again."""
    for _ in range(4):
        form.get_by_role("button", name="Submit").click()
        try:
            expect(form).to_be_hidden(timeout=8_000)
        except AssertionError:
            continue
        return
    pytest.fail("the answer was not accepted")


def test_operator_approves_in_the_ui(platform: Platform, page: Page) -> None:
    platform.has_state_backend("staging")
    run_id = platform.start_gated_run("provision/provision", "staging")
    assert platform.wait(run_id, suspended=True).suspended

    page.goto(f"{platform.api.base}/runs/flow-run/{run_id}")
    page.get_by_text("Artifacts", exact=True).click()
    expect(page.get_by_text("plan-staging").first).to_be_visible()
    _picture(page, "run-suspended")

    page.get_by_role("button", name="Resume").click()
    form = page.locator(".p-modal")
    expect(form.get_by_text("Apply this plan to")).to_be_visible()
    expect(form.get_by_text("azurerm_kubernetes_cluster_node_pool.gpu").first).to_be_visible()
    approver = form.locator("textarea").first

    # A value that the form's schema does not allow is refused here, and the run stays suspended.
    _choose(form, page, "approve")
    approver.fill("ana")
    form.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("'ana' does not match").first).to_be_visible()
    assert platform.api.state(run_id).suspended
    _picture(page, "resume-refused")

    approver.fill(APPROVER)
    _picture(page, "resume-form")
    _submit(form)
    state = platform.wait(run_id)
    assert state.type == "COMPLETED", state.message

    page.goto(f"{platform.api.base}/runs/flow-run/{run_id}")
    expect(page.get_by_text("Completed").first).to_be_visible()
    _picture(page, "run-completed")


def test_the_new_ui_offers_resume_too(platform: Platform, page: Page) -> None:
    platform.has_state_backend("prod")
    run_id = platform.start_gated_run("provision/provision", "prod")
    assert platform.wait(run_id, suspended=True).suspended

    page.goto(f"{platform.api.base}/v2/runs/flow-run/{run_id}")
    expect(page.get_by_text("Suspended").first).to_be_visible()
    page.locator("button:has(svg)").last.wait_for()
    page.get_by_role("button").filter(has=page.locator("svg.lucide-ellipsis-vertical")).first.click()
    page.get_by_role("menuitem", name="Resume").click()
    expect(page.get_by_text("azurerm_kubernetes_cluster_node_pool.gpu").first).to_be_visible()
    _picture(page, "resume-form-v2")

    platform.answer(
        run_id, decision="reject", approver="platform-lead@example.com", comment="seen in the new UI"
    )
    assert platform.wait(run_id).name == "Rejected"
