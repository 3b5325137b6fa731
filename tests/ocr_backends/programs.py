"""Programs that stand in for real ones, a PDF for them to read, and how they are asked."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typst

from ohr import registry
from ohr.plugins import OcrBackend
from ohr.types import Outcome, Status

PAGES = ["First page about copper.", "Second page about zinc.", "Third page about tin."]


def write_pdf(path: Path, pages: Sequence[str]) -> None:
    """A PDF with a text layer."""
    source = "#pagebreak()\n".join(f"{text}\n" for text in pages)
    path.write_bytes(typst.compile(f"#set page(width: 12cm, height: 8cm)\n{source}".encode()))


def engine(name: str, **params: Any) -> Any:
    return registry.create("engine", {"name": name, "params": params})


def read(made: OcrBackend, source: Any, *numbers: int) -> list[Outcome[str]]:
    found = list(made.transcribe(source, numbers))
    assert [number for number, _ in found] == list(numbers)
    return [outcome for _, outcome in found]


def texts(outcomes: list[Outcome[str]]) -> list[str]:
    assert [outcome.status for outcome in outcomes] == [Status.OK] * len(outcomes)
    return [outcome.value or "" for outcome in outcomes]


def program(path: Path, body: str) -> Path:
    """A Python program, with ``out``, ``pages`` (their texts) and ``log`` (its calls) at hand."""
    path.write_text(
        f"#!{sys.executable}\n"
        + textwrap.dedent(
            """
            import json, os, pathlib, re, sys, time
            import pypdfium2
            argv = sys.argv[1:]
            source = next((a for a in argv if a.endswith((".pdf", ".png"))), None)
            pages = ["a picture"]
            if source is not None and source.endswith(".pdf"):
                pdf = pypdfium2.PdfDocument(source)
                pages = [page.get_textpage().get_text_range() for page in pdf]
            log = pathlib.Path(__file__ + ".log")
            with log.open("a") as stream:
                stream.write(json.dumps([argv, pages, os.environ.get("HF_HUB_OFFLINE")]) + "\\n")
            """
        )
        + textwrap.dedent(body)
    )
    path.chmod(0o755)
    return path


def calls(path: Path) -> list[Any]:
    log = Path(f"{path}.log")
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
