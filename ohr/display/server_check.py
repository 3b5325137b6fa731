"""Prints what a language model's server can do, and the reader to put into a study."""

from __future__ import annotations

from typing import Any

import yaml

from ohr import registry
from ohr.display.terminal import empty_table, show
from ohr.files.safe_text import plain
from ohr.models.chat import ChatParams
from ohr.models.server_probe import ServerProbe
from ohr.models.server_report import Report

_MARKS = {True: "yes", False: "no", None: ""}


def check_server(url: str, model: str, key_variable: str | None, timeout_s: float) -> int:
    """Ask a server, and print the findings. Returns 1 if it answers no question, else 0.

    Raises ConfigError for an address or the name of a variable that cannot be one, and
    MissingDependencyError for a server that cannot be reached.
    """
    given: dict[str, Any] = {"model": model or "?", "base_url": url, "api_key_env": key_variable}
    params = registry.create("reader", {"name": "openai", "params": given}).params
    assert isinstance(params, ChatParams)
    report = ServerProbe(params.base_url, model, params.api_key_env, timeout_s).run()
    table = empty_table(["checked", "works"], [])
    table.add_column("what came")
    for finding in report.findings:
        table.add_row(finding.topic, _MARKS[finding.works], plain(finding.words))
    show(table)
    if not report.answers:
        print("The server answers no question: no study can use it.")
        return 1
    spec = yaml.safe_dump(
        _spec(report, params), default_flow_style=True, sort_keys=False, width=10_000
    )
    print(f'use: "readers=[{spec.strip()}]"')
    return 0


def _spec(report: Report, params: ChatParams) -> dict[str, Any]:
    """The reader for a study, with what differs from its defaults."""
    given: dict[str, Any] = {"model": report.model, "base_url": params.base_url}
    if params.api_key_env:
        given["api_key_env"] = params.api_key_env
    return {"name": "openai", "params": given | report.settings}
