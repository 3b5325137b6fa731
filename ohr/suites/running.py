"""Runs a suite for some engines, and writes their submissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ohr.display.terminal import report_failures
from ohr.errors import ConfigError, OhrError
from ohr.files.safe_text import plain
from ohr.ocr.progress import Progress
from ohr.registry import PluginSpec
from ohr.study.config import StudyConfig
from ohr.study.loading import check_names, read_dataset
from ohr.study.run import run_study
from ohr.suites.check import baseline
from ohr.suites.materials import Materials, check_materials
from ohr.suites.report import print_suite
from ohr.suites.submission import submission_of
from ohr.suites.suite import Suite, Track, load_suite, track_of

_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


@dataclass(frozen=True)
class Request:
    """What to run: the engines, the track, where, and what a submission says beside scores."""

    suite: str
    engines: tuple[PluginSpec, ...]
    quick: bool
    cache: Path
    workers: int
    about: Mapping[str, str]
    compare_images: bool = True


def run_suite(request: Request, out: Path) -> int:
    """Run each engine into ``out/LABEL``, write ``out/LABEL.json`` and the table.

    Returns 1 if an engine failed on all pages of a condition, else 0. Raises OhrError, also where
    the pages of this machine are not the suite's.
    """
    suite = load_suite(request.suite)
    tracks = {track_of(engine, quick=request.quick) for engine in request.engines}
    if len(tracks) > 1:
        raise ConfigError("gt has the track of text, other engines that of images: run it alone")
    if request.about.get("name") and len(request.engines) > 1:
        raise ConfigError("--name is for one engine: give labels in --engines")
    (track,) = tracks
    configs = {
        engine.label: suite.config(engine, track, request.cache, request.workers)
        for engine in request.engines
    }
    names = [_file_name(label) for label in configs]
    if len(set(names)) < len(names):
        raise ConfigError("two engines have labels that are the same as file names: change one")
    for config in configs.values():
        check_names(config)
    materials = _materials(suite, next(iter(configs.values())), request, track)
    code, submissions = 0, []
    for config, name in zip(configs.values(), names, strict=True):
        run = run_study(config, out / name, progress=Progress())
        code |= report_failures(run.failures, run.failed)
        submission = submission_of(run, suite, track, materials, request.about)
        submission.write(out / f"{name}.json")
        submissions.append(submission)
    print_suite(submissions, out, [out / f"{name}.json" for name in names])
    return code


def print_suite_plan(request: Request) -> int:
    """Print what would be read, without reading anything; returns 0. Raises OhrError."""
    suite = load_suite(request.suite)
    for engine in request.engines:
        track = track_of(engine, quick=request.quick)
        config = suite.config(engine, track, request.cache, request.workers)
        check_names(config)
        conditions = suite.conditions(track)
        if track == "text":
            print(f"{engine.label}: {len(conditions)} conditions of text, no page is read")
            continue
        params = suite.study["dataset"]["params"]
        pages = int(params["n_pages"])
        if config.dataset.documents:
            pages = len(config.dataset.documents) * int(params["document_pages"])
        frozen = baseline(suite.name, track)
        n_read = pages * (1 + len(conditions))
        line = f"{engine.label}: {pages} pages, {n_read:,} page images"
        if frozen is not None and frozen.cpu_seconds:
            minutes = n_read * frozen.cpu_seconds / 60
            line += f"; {frozen.name} took {minutes:.0f} CPU minutes for them"
        print(plain(line))
    return 0


def _materials(
    suite: Suite, config: StudyConfig, request: Request, track: Track
) -> Materials | None:
    if track == "text" or not request.compare_images:
        return None
    dataset = read_dataset(
        config.model_copy(update={"dataset": config.dataset.model_copy(update={"documents": ()})})
    )
    materials = check_materials(suite, dataset)
    print(materials.line())
    if materials.other:
        raise OhrError(
            "this machine distorts pages otherwise, so its scores cannot be compared with others: "
            "install the locked versions of opencv-python and numpy, or look at the pages with "
            "ohr perturb gallery"
        )
    return materials


def _file_name(label: str) -> str:
    return "".join(sign if sign in _ALLOWED else "-" for sign in label)
