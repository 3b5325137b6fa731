"""Write the corpus; see the package."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from benchmarks.layer_corpus.build import build
from benchmarks.layer_corpus.faults import FAULTS, TYPESET
from benchmarks.layer_corpus.page import SCRIPTS
from benchmarks.layer_corpus.producers import PRODUCERS

KINDS = tuple(dict.fromkeys((*FAULTS, *TYPESET)))


def _names(known_values: tuple[str, ...], text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    unknown = [name for name in names if name not in known_values]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]}: not one of {', '.join(known_values)}")
    return names


def main() -> None:
    """Write the PDFs and truth.json, and say how many there are of each kind."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layer_corpus")
    parser.add_argument("out", type=Path, metavar="OUT")
    for option, known_values in (("scripts", SCRIPTS), ("producers", PRODUCERS), ("faults", KINDS)):
        names = tuple(known_values)
        parser.add_argument(
            f"--{option}",
            type=lambda text, names=names: _names(names, text),
            default=list(names),
            help=f"comma-separated, of {', '.join(names)}",
        )
    given = parser.parse_args()
    started = time.monotonic()
    truths = build(given.out, given.scripts, given.producers, given.faults)
    counts = Counter((truth.expect, truth.fault or "none") for truth in truths)
    for (expect, fault), count in sorted(counts.items()):
        print(f"{expect:8}{fault:16}{count:5}")
    print(f"{len(truths)} PDFs in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
