"""The built site can be read, and searched, from the disk: nothing is loaded from elsewhere."""

from __future__ import annotations

import re

from tests.conftest import ROOT

SETTINGS = (ROOT / "mkdocs.yml").read_text("utf-8")


def test_the_search_index_is_a_script_too():
    """A browser reads no JSON file next to a page that it opened from the disk."""
    plugins = SETTINGS.partition("\nplugins:\n")[2].partition("\n\n")[0]
    assert "  - search\n  - offline\n" in plugins


def test_the_worker_of_the_search_is_a_file_of_the_site():
    """Else the plugin ``offline`` loads it from another server whenever a page is opened."""
    (scripts,) = re.findall(r"^  polyfills: \[(.*)\]$", SETTINGS, re.MULTILINE)
    assert "iframe-worker" in scripts
    for script in scripts.split(", "):
        assert (ROOT / "docs" / script).is_file()
