"""MinerU 3 and 4, by command line, in an environment of its own.

MinerU's dependencies conflict with those of other packages, so it is never imported. 4.x writes a
zip whose ``structured_content.json`` has the blocks of each page; 3.x a folder with
``<name>_content_list.json``.
"""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pydantic import Field

from ocr_backends._documents import DocumentEngine, DocumentParams
from ocr_backends._process import run
from ocr_backends.formats.mineru import content_list_pages, mineru_pages
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.markup.blocks import Block, write_markdown

INSTALL = (
    "python -m venv mineru && mineru/bin/pip install 'mineru>=4.0.12', then name "
    "executable: mineru/bin/mineru-kit"
)
TIERS = ("flash", "basic", "standard", "advanced")
WITHOUT_LANGUAGE_MODEL = ("flash", "basic", "pipeline")
"""Modes that read lines one by one; the others' models write a page token by token."""
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "MINERU_MODEL_SOURCE": "local"}
CONTENT = "structured_content.json"
MOST_BYTES = 200_000_000


class MinerUParams(DocumentParams):
    """``executable``: ``mineru-kit`` (4.x) or ``mineru`` (3.x), a name or a path. ``mode``: a
    tier of 4.x (``flash`` needs no models and reads PDFs with a text layer; ``basic``,
    ``standard``, ``advanced``) or a backend of 3.x (``pipeline``, ``vlm-auto-engine`` ...).
    ``options``: further arguments. ``offline``: it must not fetch its models.
    """

    executable: str = Field("mineru-kit", min_length=1)
    mode: str = Field("flash", pattern=r"^[a-z][a-z0-9-]*$")
    options: tuple[str, ...] = ()
    offline: bool = True


class MinerU(DocumentEngine[MinerUParams]):
    """MinerU. Tables come in HTML, formulas in LaTeX (``flash`` leaves formulas out)."""

    name = "mineru"
    accepts = frozenset({"image", "pdf"})
    license = "MinerU Open Source License (based on Apache-2.0)"
    install = INSTALL

    def __init__(self, params: MinerUParams | None = None) -> None:
        super().__init__(params)
        if self.params.mode == "flash":
            self.accepts = frozenset({"pdf"})
        self.generative = self.params.mode not in WITHOUT_LANGUAGE_MODEL

    def convert(self, file: Path, count: int, folder: Path) -> Sequence[str | None]:
        major = self._major()
        mode = str(self.params.mode)
        executable, options = _program(self.params.executable), list(self.params.options)
        if major >= 4:
            target = folder / "out.zip"
            arguments = ["parse", str(file), "-o", str(target), "-f", "zip", "--tier", mode]
            if mode == "flash":  # else a page with little text asks for a model of OCR
                arguments += ["--ocr-mode", "txt"]
        else:
            arguments = ["-p", str(file), "-o", str(folder), "-b", mode]
        run(
            [executable, *arguments, *options],
            timeout_s=self.params.timeout_s,
            install=INSTALL,
            folder=folder,
            environment=OFFLINE if self.params.offline else None,
        )
        pages = _pages_of_zip(target) if major >= 4 else _pages_of_list(folder)
        furniture = not self.params.normalise.furniture
        return [
            write_markdown(pages[number], furniture=furniture) if number in pages else None
            for number in range(count)
        ]

    def engine_version(self) -> str:
        """MinerU's version. Raises MissingDependencyError, and ConfigError for a wrong mode."""
        self._major()
        return _version(_program(self.params.executable))

    def _major(self) -> int:
        version = _version(_program(self.params.executable))
        major = int(version.partition(".")[0])
        if major >= 4 and self.params.mode not in TIERS:
            raise ConfigError(
                f"mineru: mode {self.params.mode!r} is no tier of MinerU {version}; "
                f"known: {', '.join(TIERS)}"
            )
        if major < 4 and self.params.mode in TIERS:
            raise ConfigError(
                f"mineru: mode {self.params.mode!r} needs MinerU 4, found {version}: "
                "name a backend, such as pipeline"
            )
        return major


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise MissingDependencyError(f"mineru: no program {name!r}: {INSTALL}")
    return path


@cache
def _version(program: str) -> str:
    output = run([program, "--version"], timeout_s=120, install=INSTALL).decode("utf-8", "replace")
    match = re.search(r"\d+\.\d+[\w.]*", output)
    if match is None:
        raise MissingDependencyError(f"mineru: {program} states no version: {INSTALL}")
    return match[0]


def _pages_of_zip(path: Path) -> dict[int, list[Block]]:
    """Blocks of each page, of 4.x."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(CONTENT).file_size > MOST_BYTES:
                raise EngineError(f"{CONTENT} is larger than {MOST_BYTES:,} bytes")
            content = json.loads(archive.read(CONTENT))
        return mineru_pages(content)
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
        raise EngineError(f"MinerU's {CONTENT} cannot be read: {error!r}") from error


def _pages_of_list(folder: Path) -> dict[int, list[Block]]:
    """Blocks of each page, of 3.x; a page without blocks is not in its list."""
    files = sorted(folder.rglob("*_content_list.json"))
    if len(files) != 1:
        raise EngineError(f"MinerU wrote {len(files)} content lists, 1 expected")
    try:
        return _Empty(content_list_pages(json.loads(files[0].read_text("utf-8"))))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise EngineError(f"MinerU's content list cannot be read: {error!r}") from error


class _Empty(dict[int, list[Block]]):
    """Pages that a list leaves out have nothing on them."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: int) -> list[Block]:
        return []
