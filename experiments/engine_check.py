"""Reads one page with one engine, in a worker process, and times it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ohr import registry
from ohr.errors import EngineError
from ohr.pdf import load_image
from ohr.plugins import OcrBackend
from ohr.registry import PluginSpec


@dataclass(frozen=True)
class CheckTask:
    """An engine, and the page that it is to read."""

    spec: PluginSpec
    image: Path
    pdf: Path
    page_no: int


def read_twice(task: CheckTask) -> dict[str, Any]:
    """Read the page twice: the text, seconds with loading, and seconds without.

    Raises EngineError, in a worker process.
    """
    engine: OcrBackend = registry.create("engine", task.spec)
    by_image = "image" in engine.accepts
    source: Any = [load_image(task.image)] if by_image else task.pdf
    seconds = []
    text: str | None = None
    for _ in range(2):
        started = time.perf_counter()
        read = list(engine.transcribe(source, [task.page_no]))
        seconds.append(time.perf_counter() - started)
        if not read or read[0][1].value is None:
            said = read[0][1].detail if read else "it returned nothing"
            raise EngineError(f"engine {task.spec.label}: {said}")
        text = read[0][1].value
    return {"text": text, "first_s": seconds[0], "next_s": seconds[1]}
