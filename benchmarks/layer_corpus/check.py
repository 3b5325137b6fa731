"""Whether the corpus is what its truth says: each layer, believed, against the words of its page.

python -m benchmarks.layer_corpus.check OUT
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.layer_corpus.plain import plain_words
from benchmarks.layer_corpus.words import lacking, split_words


def discrepancies(folder: Path) -> Iterator[str]:
    """A line for each file whose believed layer has other wrong words than its truth says."""
    for name, truth in json.loads((folder / "truth.json").read_text(encoding="utf-8")).items():
        page, layer = split_words(truth["text"]), plain_words(folder / name)
        wrong, lost = truth["wrong_words"], lacking(page, layer)
        unsaid, unseen = lacking(lost, wrong), lacking(wrong, lost)
        added = lacking(truth["extra_words"], layer)
        if unsaid or unseen or added:
            yield (
                f"{name}: {truth['expect']}: {len(page)} words, {len(lost)} lost; not said "
                f"{unsaid[:4]}, not seen {unseen[:4]}, not added {added[:4]}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layer_corpus.check")
    parser.add_argument("out", type=Path, metavar="OUT")
    for line in discrepancies(parser.parse_args().out):
        print(line)
