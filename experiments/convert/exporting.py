"""Exports a run or a dataset in one of the known formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from experiments.convert import beir, croissant, every_eval_ever, trec
from experiments.convert.page_files import WRITERS, Pages
from ohr.errors import OhrError, did_you_mean
from ohr.study.config import load_config

COLLECTIONS: dict[str, Callable[[beir.Collection, Path], None]] = {
    "beir": beir.write_beir,
    "datasets": beir.write_datasets,
}
FORMATS = (*COLLECTIONS, "trec", "croissant", "every-eval-ever", *WRITERS)


def export(source: Sequence[str], out: Path, format_name: str) -> int:
    """Write a finished run, or a dataset; returns 0. Raises OhrError."""
    if format_name not in FORMATS:
        raise OhrError(f"unknown --format {format_name!r}; {did_you_mean(format_name, FORMATS)}")
    run = Path(source[0])
    if len(source) == 1 and (run / "manifest.json").is_file():
        _export_run(run, out, format_name)
    else:
        _export_dataset(source, out, format_name)
    return 0


def _export_run(run: Path, out: Path, format_name: str) -> None:
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
    if any(folder.glob("*")):
        raise OhrError(
            f"{folder} is not empty: it would mix pages of two exports; empty it, or choose "
            "another --out"
        )
    WRITERS[format_name](pages, folder)
    print(f"{folder}: {len(pages)} pages")
