"""The fixed inputs: pages, questions, images. To change one is to make every digest anew."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from ohr.collection import Dataset
from ohr.types import Chunk, Document, Hit, Page, PageRef, Question

HARBOUR = r"""# The Harbour of Lindvik

## Fees and opening hours

The harbour of Lindvik was opened in **1874** by *Countess Adele Moberg*. It takes in about 3,650
ships a year, two thirds of which carry timber. A berth costs $12 for each night, or $75 a week.

1. Visitors may not enter the grain store.
2. Fishing from the northern pier is permitted until 9 p.m.

The pilots were trained anew because the channel is narrower since 2011. See
[the rules](https://example.org/rules) and `fees.csv`.

| Berth | Length | Fee in 2020 | Fee in 2021 |
|:------|-------:|------------:|------------:|
| North | 120 m  | 1,150       | 1,204       |
| South | 85 m   | 310         | (87)        |
"""
TIDES = r"""## Tides

The height of the tide is $h(t) = a_0 + \sum_{k=1}^{n} a_k \cos(\omega_k t)$, where $\omega_k > 0$,
and

$$
E = \frac{1}{2} \rho g \int_0^L h(x)^2 \, dx
$$

\begin{table}
\begin{tabular}{|l|r|r|}
\hline
Gauge & \textbf{Mean} & Range \\ \hline
Outer & 2.4 & $1.9$ \\
Inner & 2.1 & 0.8 \\ \hline
\end{tabular}
\end{table}

The gauge of the inner basin was moved by Dr. Per Alm on 3 May 2018. It never stood dry.

\section*{Storms}
\[ p(x) = \alpha x^2 + \beta \]

<table><tr><th>Year</th><th>Storms</th></tr><tr><td>1999</td><td>14</td></tr></table>
"""
CHINESE = """灯塔建于1874年,高度为52米。2021年末,港口共有356名工人。
灯塔管理员王芳于2019年5月上任。港口不进口煤炭!主要货物包括木材、鱼和盐。"""
LONG = "\n\n".join(
    f"{'#' * (1 + number % 3)} Part {number}\n\n"
    + " ".join(f"Ship {number}.{ship} brought {ship * 37 + number} barrels." for ship in range(40))
    for number in range(12)
)
PAGES = {
    PageRef("port/harbour", 0): HARBOUR,
    PageRef("port/harbour", 1): TIDES,
    PageRef("port/city", 0): CHINESE,
    PageRef("port/city", 1): LONG,
    PageRef("port/city", 2): "",
}
QUESTIONS = {
    "When was the harbour of Lindvik opened?": 0,
    "How many ships does the harbour take in a year?": 0,
    "What does a berth cost for each night?": 0,
    "What was the fee of the berth South in 2021?": 0,
    "May visitors enter the grain store?": 0,
    "Why were the pilots trained anew?": 0,
    "Who moved the gauge of the inner basin?": 1,
    "What is the formula of the energy E?": 1,
    "What is the mean of the gauge Outer?": 1,
    "How many storms were there in 1999?": 1,
    "管理员什么时候上任?": 2,
    "How many barrels did ship 7.3 bring?": 3,
}
"""Question -> the page, by its place among :data:`PAGES`, that answers it."""

CHUNKS = [
    Chunk(ref, start, start + len(part), part)
    for ref, text in PAGES.items()
    for part in filter(str.strip, text.split("\n\n"))
    if (start := text.index(part)) >= 0
]
REFS = list(PAGES)
CONTEXTS = [
    [Hit(REFS[position], PAGES[REFS[position]], 1.0, 0), Hit(REFS[0], HARBOUR, 0.5, 1)]
    for position in QUESTIONS.values()
]

READINGS = {
    "the same": HARBOUR,
    "misread": HARBOUR.replace("1,204", "1,2O4").replace("harbour", "barbour"),
    "other formulas": TIDES.replace(r"\omega_k t", r"w_k t").replace("2.4", "24"),
    "cut": HARBOUR[: len(HARBOUR) // 2],
    "turned": "\n\n".join(HARBOUR.split("\n\n")[::-1]),
    "nothing": "",
}
"""What was read -> what a metric compares with the page that it most resembles."""


FACTS: list[dict[str, Any]] = [
    {"type": "present", "text": "takes in about 3,650 ships", "max_diffs": 1},
    {"type": "absent", "text": "Fishing from the northern pier"},
    {"type": "order", "before": "A berth costs", "after": "The pilots were trained"},
    {"type": "table", "cell": "Outer", "right": "2.4", "top_heading": "Gauge"},
    {"type": "math", "math": r"\frac{1}{2}\rho g"},
    {"type": "math", "math": r"a_k \cos(\omega_k t)"},
]
"""Facts of which some are true of some of the readings."""


def dataset() -> Dataset:
    """The pages and the questions."""
    by_document: dict[str, list[Page]] = {}
    for ref, text in PAGES.items():
        by_document.setdefault(ref.doc_id, []).append(Page(ref, text))
    documents = [Document(doc_id, "port", pages) for doc_id, pages in by_document.items()]
    questions = [
        Question(
            qid=str(number), text=text, answers=("1874",), doc_id=REFS[position].doc_id,
            domain="port", evidence_pages=(REFS[position],),
            evidence_text=PAGES[REFS[position]][:60], evidence_source="text",
        )
        for number, (text, position) in enumerate(QUESTIONS.items())
    ]  # fmt: skip
    return Dataset(documents, questions, kind="golden")


def page_image() -> np.ndarray:
    """Grey, uint8: bars as words are, a box, a shade."""
    page = np.full((300, 220), 248, np.uint8)
    draw = np.random.default_rng(0)
    for top in range(20, 240, 14):
        left_edge = 15
        while left_edge < 190:
            width = int(draw.integers(6, 34))
            page[top : top + 7, left_edge : min(left_edge + width, 205)] = int(draw.integers(0, 60))
            left_edge += width + 5
    page[250:285, 20:200] = np.arange(180, dtype=np.uint8)
    return page


def printed() -> np.ndarray:
    """An image that every engine can read: grey, uint8."""
    page = np.full((170, 900), 255, np.uint8)
    for row, line in enumerate(("The harbour was opened in 1874.", "A berth costs 12 a night.")):
        place = (20, 60 + 70 * row)
        cv2.putText(page, line, place, cv2.FONT_HERSHEY_SIMPLEX, 1.4, 0, 3, cv2.LINE_AA)
    return page


def misread(text: str, every: int) -> str:
    """A text with a letter of every so many words misread."""
    words = text.split(" ")
    return " ".join(
        word.replace("e", "c", 1) if place % every == 0 else word
        for place, word in enumerate(words)
    )
