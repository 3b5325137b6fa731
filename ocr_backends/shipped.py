"""What engines read from pages of the sample, shipped as text: a study that needs no engine.

A file ``shipped_readings/<engine>.jsonl.gz`` has a line about all of it (engine, its version,
conditions), then a line for each page: its name, a digest of its true text, and the text that the
engine read under each condition. ``python -m benchmarks.shipped_readings`` makes it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ohr import plugins
from ohr.errors import ConfigError
from ohr.plugins.shipped import Condition, ShippedEngine
from ohr.store.identity import digest
from ohr.types import Outcome, Page

FOLDER = Path(__file__).parent / "shipped_readings"
SUFFIX = ".jsonl.gz"


@dataclass(frozen=True)
class PageReadings:
    """What was read from a page, in the order of the conditions."""

    doc_id: str
    page_no: int
    truth: str
    """Digest of its true text."""
    texts: Sequence[str]


@dataclass(frozen=True)
class Readings:
    """What one engine read."""

    engine: Mapping[str, Any]
    """The identity of the engine that read: name, version, parameters."""
    conditions: Sequence[Condition]
    made_with: Mapping[str, str]
    """Versions of what made the pages: packages, and the noise."""
    pages: Sequence[PageReadings]

    def write(self, path: Path) -> None:
        """Write the file; the same texts give the same bytes."""
        about = {
            "engine": self.engine,
            "conditions": [asdict(condition) for condition in self.conditions],
            "made_with": self.made_with,
        }
        lines = [about, *map(asdict, self.pages)]
        text = "".join(
            json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n" for line in lines
        )
        path.write_bytes(gzip.compress(text.encode(), mtime=0))


def truth_digest(text: str) -> str:
    """The digest by which a page is known again."""
    return digest(text)[:16]


def shipped_names() -> list[str]:
    """The engines whose output is shipped."""
    return sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))


def readings_file(engine: str) -> Path:
    """Where an engine's output is. Raises ConfigError for one without."""
    if engine not in shipped_names():
        raise ConfigError(
            f"no output of {engine!r} is shipped; known: {', '.join(shipped_names())}"
        )
    return FOLDER / f"{engine}{SUFFIX}"


@cache
def read_readings(path: Path) -> tuple[Readings, str]:
    """What a file holds, and the digest of its content."""
    text = gzip.decompress(path.read_bytes()).decode()
    about, *pages = map(json.loads, text.splitlines())
    conditions = [Condition(**condition) for condition in about["conditions"]]
    readings = Readings(
        about["engine"], conditions, about["made_with"], [PageReadings(**page) for page in pages]
    )
    return readings, digest(text)


class ShippedParams(plugins.Params):
    """``engine``: whose output."""

    engine: str


class Shipped(ShippedEngine[ShippedParams]):
    """What a real engine read from the demo's 60 pages of the sample."""

    name = "shipped"
    license = "Apache-2.0"
    argument = "engine"
    returns = "text"

    def __init__(self, params: ShippedParams) -> None:
        super().__init__(params)
        self._readings, self._digest = read_readings(readings_file(params.engine))
        self._pages = {(page.doc_id, page.page_no): page for page in self._readings.pages}

    def reading(self, page: Page, condition: Condition) -> Outcome[str]:
        """Raises ConfigError for another page, another text of it, or another condition."""
        label = f"{self.name}:{self.params.engine}"
        if condition not in self._readings.conditions:
            listed = "; ".join(map(str, self._readings.conditions))
            raise ConfigError(f"{label} has no output of {condition}; it has: {listed}")
        stored = self._pages.get((page.ref.doc_id, page.ref.page_no))
        if stored is None or stored.truth != truth_digest(page.text):
            raise ConfigError(
                f"{label} has no output of page {page.ref.page_no + 1} of {page.ref.doc_id}: it "
                f"has {len(self._pages)} pages of ohr demo (ohr demo --dry-run names the options)"
            )
        return Outcome.of_text(stored.texts[self._readings.conditions.index(condition)])

    def read_by(self) -> str:
        """``tesseract 5.3.0 at 150 dpi``: without the digests of models."""
        name, version = (str(self._readings.engine[key]) for key in ("name", "engine_version"))
        short = version.split(",")[0].removeprefix(f"{name} ")
        return f"{self.params.engine} {short} at {self._readings.conditions[0].dpi} dpi"

    def recognisers(self) -> frozenset[str]:
        return frozenset({self.params.engine})

    def engine_version(self) -> str:
        """The engine that read, its version, and the digest of its output."""
        return f"{self.read_by()}, read once: {self._read_with()}; texts {self._digest[:16]}"

    def _read_with(self) -> str:
        return str(self._readings.engine["engine_version"])

    def describe(self) -> str:
        """Which engine and version read, and what."""
        conditions = "; ".join(map(str, self._readings.conditions))
        return f"shipped output of {len(self._pages)} pages by {self._read_with()}: {conditions}"
