"""Each group of commands has a page, made from the code, and the site's navigation has it."""

from __future__ import annotations

import pytest

from experiments._commands import GROUPS
from tests.conftest import ROOT

PAGES = ROOT / "docs" / "reference" / "commands"


def test_each_group_has_a_page_and_no_page_lacks_a_group():
    assert {page.stem for page in PAGES.iterdir()} == {"single", *GROUPS}


@pytest.mark.parametrize("group", ["single", *GROUPS])
def test_a_page_is_made_from_its_group_and_in_the_navigation(group):
    text = (PAGES / f"{group}.md").read_text("utf-8")
    assert f"<!-- made: commands {group} -->" in text.splitlines()
    assert f": reference/commands/{group}.md\n" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_the_list_of_all_commands_links_each_to_its_page(monkeypatch):
    pytest.importorskip("mkdocs")
    monkeypatch.syspath_prepend(ROOT / "docs")
    from made_from_code import commands

    listed = commands()
    assert "](commands/run.md#ohr-run-noise-curve){ #ohr-run-noise-curve }" in listed
    assert "](commands/single.md#ohr-demo){ #ohr-demo }" in listed
    assert "## ohr run noise-curve" in commands("run")
    assert "## ohr demo" not in commands("run")
