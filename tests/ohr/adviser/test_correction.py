"""How far predicted errors can be relied on is said where they are printed."""

from pathlib import Path

import pandas as pd

from ohr.adviser.recommend.report import correction_sentence

LIST = Path("out/to_transcribe.csv")


def rows(pages: int, out_of_range: int = 0) -> pd.DataFrame:
    """The rows of two engines; the first is out of range on some pages."""
    return pd.DataFrame(
        [
            {
                "engine": engine,
                "doc_id": "d",
                "page_no": page,
                "in_range": engine == "b" or page >= out_of_range,
            }
            for page in range(pages)
            for engine in "ab"
        ]
    )


def test_pages_that_predictions_were_not_checked_on_are_counted():
    said = correction_sentence(LIST, rows(10, 3), is_corrected=False)
    assert "On 3 of 10 pages some output is unlike what predictions were checked on" in said
    assert "unlike" not in correction_sentence(LIST, rows(10), is_corrected=False)


def test_a_page_that_is_not_assessed_is_not_called_unlike():
    table = rows(10).assign(in_range=None)
    assert "unlike" not in correction_sentence(LIST, table, is_corrected=False)


def test_nobody_is_asked_to_transcribe_pages_that_would_be_too_few():
    said = correction_sentence(LIST, rows(1), is_corrected=False)
    assert said == (
        "Errors are predicted. 1 page is too few to correct them: 8 transcribed pages are needed."
    )
    assert "transcribe 8 or more pages of out/to_transcribe.csv" in correction_sentence(
        LIST, rows(8), is_corrected=False
    )
