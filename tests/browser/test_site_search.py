"""The built site can be searched from the disk, and loads nothing from elsewhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages, built with the theme, scripts and hooks of the project's own site."""
    pytest.importorskip("material")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    root = tmp_path_factory.mktemp("site")
    docs = root / "docs"
    (docs / "guides").mkdir(parents=True)
    (docs / "index.md").write_text("# Harbour\n\nShips come and go.\n")
    (docs / "guides" / "mill.md").write_text("# Mill\n\n## Barley\n\nIt grinds barley slowly.\n")
    for name in (*SETTINGS["extra"]["polyfills"], *SETTINGS["extra_css"]):
        shutil.copy(ROOT / "docs" / name, docs / name)
    settings = {
        "site_name": "Town",
        "docs_dir": str(docs),
        "site_dir": str(root / "site"),
        "theme": SETTINGS["theme"],
        "extra": SETTINGS["extra"],
        "hooks": [str(ROOT / hook) for hook in SETTINGS["hooks"]],
        "plugins": ["search"],
        "use_directory_urls": False,
    }
    path = root / "mkdocs.yml"
    path.write_text(yaml.safe_dump(settings))
    build(load_config(str(path)))
    return root / "site"


@pytest.mark.parametrize("page", ["index.html", "guides/mill.html"])
def test_a_search_from_the_disk_finds_a_section(
    site: Path, chromium_browser: Browser, page: str
) -> None:
    context = chromium_browser.new_context(offline=True)
    window = context.new_page()
    problems: list[str] = []
    window.on("pageerror", lambda error: problems.append(str(error)))
    window.on("request", lambda request: problems.append(request.url))
    window.goto((site / page).as_uri())
    window.focus("input.md-search__input")
    window.keyboard.type("barley")
    first = window.wait_for_selector(".md-search-result__link", state="attached", timeout=20_000)
    assert first is not None
    address = first.evaluate("link => link.href")
    assert address.startswith((site / "guides" / "mill.html").as_uri())
    assert [line for line in problems if not line.startswith(("file:", "data:"))] == []
    window.goto(address)
    assert "Barley" in window.inner_text("article")
    context.close()
