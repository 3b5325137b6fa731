"""How sure other tools are of the pages that they read is kept, page by page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ocr_backends.formats.confidence import page_confidence
from ocr_backends.formats.documents import Reading, read_content, read_xml
from ohr import registry
from ohr.collection import Dataset
from ohr.types import Document, KnowledgeBase, Page, PageRef

AZURE = {
    "content": "Old mill\nNew mill",
    "pages": [
        {
            "pageNumber": 1,
            "lines": [{"content": "Old mill"}],
            "words": [
                {"content": "Old", "confidence": 0.9},
                {"content": "mill", "confidence": 0.5},
            ],
        },
        {"pageNumber": 2, "lines": [{"content": "New mill"}]},
    ],
}
TEXTRACT = {
    "DocumentMetadata": {"Pages": 2},
    "Blocks": [
        {"BlockType": "LINE", "Id": "1", "Page": 1, "Text": "Old mill", "Confidence": 20.0},
        {"BlockType": "WORD", "Id": "2", "Page": 1, "Text": "Old", "Confidence": 90.0},
        {"BlockType": "WORD", "Id": "3", "Page": 1, "Text": "mill", "Confidence": 50.0},
        {"BlockType": "LINE", "Id": "4", "Page": 2, "Text": "New mill", "Confidence": 80.0},
    ],
}
MISTRAL = {
    "pages": [
        {
            "index": 0,
            "markdown": "Old\n\n[t](t)",
            "tables": [
                {
                    "id": "t",
                    "content": "mill",
                    "word_confidence_scores": [{"text": "mill", "confidence": 0.5}],
                }
            ],
            "confidence_scores": {
                "average_page_confidence_score": 0.1,
                "word_confidence_scores": [{"text": "Old", "confidence": 0.9, "start_index": 0}],
            },
        },
        {
            "index": 1,
            "markdown": "New mill",
            "confidence_scores": {"average_page_confidence_score": 0.8},
        },
    ]
}
PADDLE = [
    {
        "page_index": number,
        "parsing_res_list": [{"block_label": "text", "block_content": " ".join(words)}],
        "overall_ocr_res": {"rec_texts": words, "rec_scores": scores},
    }
    for number, words, scores in [(0, ["Old", "mill"], [0.9, 0.5]), (1, ["New mill"], [0.8])]
]
LLAMAPARSE = {
    "pages": [
        {"page": 1, "md": "Old mill", "confidence": 0.7},
        {"page": 2, "md": "New mill", "confidence": 0.8},
    ]
}
MIDDLE = {
    "pdf_info": [
        {
            "page_idx": number,
            "para_blocks": [
                {
                    "type": "list",
                    "blocks": [
                        {
                            "type": "text",
                            "lines": [
                                {"spans": [{"type": "text", "content": word, "score": score}]}
                            ],
                        }
                        for word, score in words
                    ],
                }
            ],
        }
        for number, words in [(0, [("Old", 0.9), ("mill", 0.5)]), (1, [("New mill", 0.8)])]
    ]
}


@pytest.mark.parametrize(
    ("content", "doubtful"),
    [
        (AZURE, ["mill"]),
        (TEXTRACT, ["mill"]),
        (MISTRAL, ["mill"]),
        (PADDLE, ["mill"]),
        (MIDDLE, ["mill"]),
        (LLAMAPARSE, []),  # it rates whole pages
    ],
    ids=["azure", "textract", "mistral", "paddle", "middle", "llamaparse"],
)
def test_json(content: Any, doubtful: list[str]) -> None:
    reading = read_content(content)
    assert reading.pages[0].confidence == pytest.approx(0.7)
    second = None if content is AZURE else pytest.approx(0.8)
    assert reading.pages[1].confidence == second
    assert unsure(reading, 0) == doubtful


HOCR = """<html><body><div class='ocr_page' title='ppageno 0'><span class='ocr_line'>
<span class='ocrx_word' title='bbox 0 0 9 9; x_wconf 90'>Old</span>
<span class='ocrx_word' title='bbox 9 0 19 9; x_wconf 50'>mill</span></span></div></body></html>"""
ALTO = """<alto><Layout><Page><PrintSpace><TextBlock><TextLine>
<String CONTENT="Old" WC="0.9"/><SP/><String CONTENT="mill" WC="0.5"/>
</TextLine></TextBlock></PrintSpace></Page></Layout></alto>"""
PAGE = """<PcGts><Page><TextRegion><TextLine>
<Word><TextEquiv conf="0.9"><Unicode>Old</Unicode></TextEquiv></Word>
<Word><TextEquiv conf="0.5"><Unicode>mill</Unicode></TextEquiv></Word>
<TextEquiv conf="0.1"><Unicode>Old mill</Unicode></TextEquiv>
</TextLine></TextRegion></Page></PcGts>"""


@pytest.mark.parametrize("xml", [HOCR, ALTO, PAGE], ids=["hocr", "alto", "page"])
def test_xml(xml: str) -> None:
    reading = read_xml(xml.encode())
    assert reading.pages[0].value == "Old mill"
    assert reading.pages[0].confidence == pytest.approx(0.7)
    assert unsure(reading, 0) == ["mill"]


def test_lines_of_a_page_count_where_no_word_is_rated() -> None:
    page = PAGE.replace('conf="0.9"', "").replace('conf="0.5"', "")
    assert read_xml(page.encode()).pages[0].confidence == pytest.approx(0.1)


@pytest.mark.parametrize("rating", [None, "high", -0.1, 1.5, float("nan"), True, [0.5]])
def test_a_rating_that_is_none_says_nothing(rating: object) -> None:
    assert page_confidence([("Old", rating)]) is None
    sure = page_confidence([("Old", rating), ("mill", 0.5)])
    assert sure is not None
    assert sure.mean == 0.5


def test_damaged_ratings_do_not_damage_the_text() -> None:
    content = {**AZURE, "pages": [{**AZURE["pages"][0], "words": 3}]}  # type: ignore[dict-item]
    outcome = read_content(content).pages[0]
    assert (outcome.value, outcome.confidence) == ("Old mill", None)


def test_confidence_stays_with_its_page_when_pages_are_numbered_anew(tmp_path: Path) -> None:
    words = ["harbour lights shine far", "apples ripen early here", "mills grind barley slowly"]
    pages = [
        {"page": number, "md": text, "confidence": sure}
        for number, text, sure in [(1, words[1], 0.3), (2, words[2], 0.6)]  # of pages 1 and 2
    ]
    base = knowledge_base(tmp_path, {"pages": pages}, words)
    assert base.pages[PageRef("law/a", 1)].confidence == 0.3
    assert base.pages[PageRef("law/a", 2)].confidence == 0.6


def test_a_file_per_page_keeps_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "kb" / "law" / "a"
    folder.mkdir(parents=True)
    (folder / "1.hocr").write_text(HOCR)
    (folder / "2.hocr").write_text(HOCR.replace("x_wconf 50", "x_wconf 70"))
    base = knowledge_base(tmp_path, None, ["Old mill", "Old mill"])
    sure = [outcome.confidence for outcome in base.pages.values()]
    assert sure == pytest.approx([0.7, 0.8])


def knowledge_base(root: Path, content: object, texts: list[str]) -> KnowledgeBase:
    if content is not None:
        (root / "kb" / "law").mkdir(parents=True)
        (root / "kb" / "law" / "a.json").write_text(json.dumps(content))
    pages = [Page(PageRef("law/a", number), text) for number, text in enumerate(texts)]
    dataset = Dataset([Document("law/a", "law", pages)], [], kind="ohrbench", root=root)
    base: KnowledgeBase = registry.create("engine", "precomputed:kb").knowledge_base(dataset)
    return base


def unsure(reading: Reading, page: int) -> list[str]:
    return [word.text for word in reading.words[page] if word.confidence < 0.6]
