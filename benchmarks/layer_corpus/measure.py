"""How well `ohr` judges the text layers of the corpus.

    python -m benchmarks.layer_corpus.measure CORPUS
    python -m benchmarks.layer_corpus.measure CORPUS --part 3-11/12 --results layers/results.json

Each family's pages are judged in a process of their own, in which no font of the family is a
reference: the fonts that set a page would tell more of it than those of other designs.

Prints the table, the families left out, and a line for each file that fails. Writes what was said
of each file (`results.json`, which `benchmarks.layer_corpus.score` reads) and, beside it,
`rows.json`: the table with its commit, date and CPU time, without texts.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.layer_corpus import excluded
from benchmarks.layer_corpus.score import Result, score, table

ROOT = Path(__file__).resolve().parents[2]
# What the figures depend on.
CODE = ("ohr", "benchmarks/layer_corpus")

Truths = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Part:
    """Parts `first` to `last` of `total`; a file's part is the CRC of its name."""

    first: int
    last: int
    total: int

    @classmethod
    def parse(cls, text: str) -> Part:
        """`K/N` or `K-L/N`, counted from 0."""
        try:
            range_text, total = text.split("/")
            first, _, last = range_text.partition("-")
            part = cls(int(first), int(last or first), int(total))
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text}: not K/N or K-L/N, such as 3/12") from None
        if not 0 <= part.first <= part.last < part.total:
            raise argparse.ArgumentTypeError(f"{text}: parts go from 0 to {part.total - 1}")
        return part

    def __str__(self) -> str:
        last = f"-{self.last}" if self.last > self.first else ""
        return f"{self.first}{last}/{self.total}"

    def has(self, name: str) -> bool:
        return self.first <= zlib.crc32(name.encode()) % self.total <= self.last


@dataclass(frozen=True)
class Measured:
    """What was said of each file, and the CPU seconds that it took."""

    results: dict[str, Result]
    cpu_s: float


def measure(folder: Path, truths: Truths, together: bool = False) -> Measured:
    """Judge files of a corpus, each without references of its own family.

    `together` judges all in one process, without references of any of their families: less to
    start, fewer references.

    Raises:
        KeyError: the font files of a family are not known.
    """
    names_of: dict[str, list[str]] = {}
    for name, truth in truths.items():
        names_of.setdefault(truth["family"], []).append(name)
    groups = [([family], names) for family, names in sorted(names_of.items())]
    if together:
        groups = [(sorted(names_of), list(truths))]
    settings = [excluded.setting(families) for families, _ in groups]
    results: dict[str, Result] = {}
    cpu_s = 0.0
    context = multiprocessing.get_context("spawn")  # no references drawn by an earlier family
    for (families, names), faces in zip(groups, settings, strict=True):
        paths = [folder / name for name in names]
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            judged, seconds = pool.submit(_judge, paths, faces).result()
        results |= dict(zip(names, judged, strict=True))
        cpu_s += seconds
        print(f"{', '.join(families)}: {len(names)} PDFs, {seconds:.0f} s of CPU", file=sys.stderr)
    return Measured({name: results[name] for name in truths}, cpu_s)


def _judge(paths: Sequence[Path], faces: str) -> tuple[list[Result], float]:
    """What is said of PDFs, and the CPU seconds of this process and its workers."""
    os.environ[excluded.VARIABLE] = faces
    from ohr.documents.verifying import verified_layers

    before = _cpu_s()
    outcomes = verified_layers(paths)
    seconds = _cpu_s() - before
    results = []
    for outcome in outcomes:
        verdict = outcome.value[0] if outcome.value else None
        if verdict is None or verdict.gap:
            results.append(Result(False))
        else:
            doubtful = [word.text for word in verdict.doubtful]
            results.append(Result(True, verdict.text, doubtful, verdict.holes.order_known))
    return results, seconds


def _cpu_s() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def describe(truths: Truths, measured: Measured, part: str) -> dict[str, Any]:
    """The table, and all that says where it comes from, as JSON."""
    rows, failures = score(truths, measured.results)
    digest = hashlib.sha256(json.dumps(truths, sort_keys=True).encode())
    return {
        "part": part,
        "commit": _commit(),
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        "digest": digest.hexdigest()[:12],
        "pages": len({(truth["script"], truth["page"]) for truth in truths.values()}),
        "expect": dict(sorted(Counter(truth["expect"] for truth in truths.values()).items())),
        "failed": _failed(truths, failures),
        "left_out": {
            family: [path.name for path in excluded.installed(family)]
            for family in sorted({truth["family"] for truth in truths.values()})
        },
        "cpu_ms_a_page": round(1000 * measured.cpu_s / len(truths), 1),
        "rows": [asdict(row) for row in rows],
    }


def _failed(truths: Truths, failures: Iterable[str]) -> list[dict[str, Any]]:
    """Where most files fail: fault and script, how many fail, and of how many."""

    def count(names: Iterable[str]) -> Counter[tuple[str, str]]:
        return Counter((truths[name]["fault"] or "none", truths[name]["script"]) for name in names)

    files = count(truths)
    return [
        {"fault": fault, "script": script, "failed": failed, "files": files[fault, script]}
        for (fault, script), failed in sorted(count(failures).items(), key=lambda x: (-x[1], x[0]))
    ]


def _commit() -> str:
    """The last commit of the code that is measured; with a `+` where it was edited since."""

    def git(*arguments: str) -> str:
        command = ["git", *arguments, "--", *CODE]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    try:
        return git("log", "-1", "--format=%h") + "+" * bool(git("status", "--porcelain"))
    except (OSError, subprocess.CalledProcessError):
        return ""


def main() -> None:
    """Judge the corpus, or some parts of it, and compare with the truth."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layer_corpus.measure")
    parser.add_argument("corpus", type=Path, metavar="CORPUS", help="the folder of the PDFs")
    parser.add_argument("--part", type=Part.parse, metavar="K/N", help="such as 3/12, or 3-11/12")
    parser.add_argument("--results", type=Path, default=Path("results.json"), metavar="FILE")
    given = parser.parse_args()
    truths = json.loads((given.corpus / "truth.json").read_text(encoding="utf-8"))
    if given.part is not None:
        truths = {name: truth for name, truth in truths.items() if given.part.has(name)}
    if not truths:
        parser.error("no file is in this part")
    measured = measure(given.corpus, truths)
    rows, failures = score(truths, measured.results)
    facts = describe(truths, measured, str(given.part or ""))
    given.results.parent.mkdir(parents=True, exist_ok=True)
    verdicts = {name: asdict(result) for name, result in measured.results.items()}
    for path, content in ((given.results, verdicts), (given.results.with_name("rows.json"), facts)):
        text = json.dumps(content, ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")
    print(table(rows))
    print(f"\n{facts['cpu_ms_a_page']} ms of CPU a page. No reference for their own pages were:")
    for family, files in facts["left_out"].items():
        print(f"  {family}: {', '.join(files) or 'no file of it is installed'}")
    print()
    for name, reason in sorted(failures.items()):
        print(f"{name}: {reason}")


if __name__ == "__main__":
    main()
