"""Exports a run or a dataset in one of the known formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from experiments.convert import beir, croissant, every_eval_ever, hub_eval, trec
from experiments.convert.knowledge_bases import export_base, read_base, read_manifest
from experiments.convert.page_files import WRITERS, Pages
from ohr.errors import OhrError, did_you_mean
from ohr.ocr.page_records import FORMATS as BASE_FORMATS
from ohr.report.recommendation import AS_JSON, RUN
from ohr.study.config import load_config

COLLECTIONS: dict[str, Callable[[beir.Collection, Path], None]] = {
    "beir": beir.write_beir,
    "datasets": beir.write_datasets,
}
FORMATS_OF_RUNS = (*COLLECTIONS, "trec", "croissant", "every-eval-ever", *WRITERS)
HUB = "hub-eval"
"""The format of a submission to a suite."""
FORMATS = tuple(dict.fromkeys([*FORMATS_OF_RUNS, *BASE_FORMATS, HUB]))


def export(source: Sequence[str], out: Path, format_name: str, hub_dataset: str = "") -> int:
    """Write a finished run, a knowledge base, a dataset or a submission; returns 0.

    ``hub_dataset`` is the benchmark of ``hub-eval``. Raises OhrError.
    """
    if format_name not in FORMATS:
        raise OhrError(f"unknown --format {format_name!r}; {did_you_mean(format_name, FORMATS)}")
    folder = Path(source[0])
    if format_name == HUB:
        if len(source) != 1 or not folder.is_file():
            raise OhrError(f"--format {HUB} is for one submission, the JSON file of ohr suite run")
        hub_eval.export_submission(folder, out, hub_dataset)
    elif len(source) == 1 and folder.is_dir():
        if is_run(folder):
            _export_run(folder, out, format_name)
        elif (folder / AS_JSON).is_file():
            raise OhrError(
                f"{folder} is a recommendation: give {folder / RUN}, the run that it rests "
                f"on, or {folder / 'kb'}, which its command for ohr read writes"
            )
        else:
            _export_base(folder, out, format_name)
    else:
        _export_dataset(source, out, format_name)
    return 0


def is_run(folder: Path) -> bool:
    """Whether a folder is that of a run, finished or not, rather than a knowledge base."""
    if any((folder / name).is_file() for name in ("cells.csv", "rows.parquet", "cases.zip")):
        return True
    return (folder / "manifest.json").is_file() and read_manifest(folder) is None


def _export_base(folder: Path, out: Path, format_name: str) -> None:
    if format_name in BASE_FORMATS:
        _check_empty(out)
        export_base(folder, out, format_name)
    elif format_name in WRITERS:
        pages = {record.ref: record.text for record in read_base(folder)}
        texts = {ref: text for ref, text in pages.items() if text is not None}
        if len(texts) < len(pages):
            print(f"left out: {len(pages) - len(texts)} of {len(pages)} pages, which failed")
        _write_texts(texts, out, format_name)
    else:
        known_formats = ", ".join(dict.fromkeys([*BASE_FORMATS, *WRITERS]))
        raise OhrError(
            f"{folder} is no finished run, and a knowledge base has no questions for --format "
            f"{format_name}: give one of {known_formats}"
        )


def _export_run(run: Path, out: Path, format_name: str) -> None:
    if format_name not in FORMATS_OF_RUNS:
        raise OhrError(f"--format {format_name} is for a knowledge base, such as of ohr read")
    if format_name in WRITERS:
        for name, pages in beir.run_texts(run):
            _write_texts(pages, out / name, format_name)
    elif format_name in COLLECTIONS:
        beir.export_collections(beir.run_collections(run), out, COLLECTIONS[format_name])
    elif format_name == "croissant":
        raise OhrError("croissant describes a dataset: give its options, such as dataset.kind=…")
    elif format_name == "every-eval-ever":
        every_eval_ever.export_run(run, out)
    else:
        trec.export_run(run, out)


def _export_dataset(source: Sequence[str], out: Path, format_name: str) -> None:
    if format_name not in FORMATS_OF_RUNS:
        raise OhrError(
            f"--format {format_name} takes the folder of a knowledge base; {source[0]} is none"
        )
    config = load_config(source)
    if format_name in WRITERS:
        for name, pages in beir.dataset_texts(config):
            _write_texts(pages, out / name, format_name)
    elif format_name in COLLECTIONS:
        beir.export_collections(beir.dataset_collections(config), out, COLLECTIONS[format_name])
    elif format_name == "croissant":
        croissant.export_dataset(config, out)
    elif format_name == "every-eval-ever":
        raise OhrError("every-eval-ever holds results: give the folder of a finished run")
    else:
        trec.export_dataset(config, out)


def _write_texts(pages: Pages, folder: Path, format_name: str) -> None:
    _check_empty(folder)
    WRITERS[format_name](pages, folder)
    print(f"{folder}: {len(pages)} pages")


def _check_empty(folder: Path) -> None:
    if any(folder.glob("*")):
        raise OhrError(
            f"{folder} is not empty: it would mix pages of two exports; empty it, or choose "
            "another --out"
        )
