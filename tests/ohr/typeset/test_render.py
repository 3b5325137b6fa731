"""Typeset pages: one page each, the same bytes, every word in the layer, nothing read from disk."""

from __future__ import annotations

import json
from pathlib import Path

import pypdfium2
import pytest

pytest.importorskip("pypandoc", reason="pypandoc_binary is not installed")

from ohr.errors import ConfigError
from ohr.markup.strip import strip_markup
from ohr.metrics.default import token_lcs, tokens
from ohr.typeset import looks, render
from ohr.typeset.looks import LOOKS, LookName, look_of
from ohr.typeset.render import Typeset, typeset

PAGE = r"""# Tides of the coast

The harbour master wrote **twelve** reports on $E = m$ and a price of $\$ 57,500$.

| Port | Ships | Share |
|------|------:|-------|
| Saint Ives | 1,204 | 19 \% |
| Penzance | 87 | 3 \% |

\begin{tabular}{|l|c|c|}
\multirow{2}{*}{Region} & \multicolumn{2}{c|}{Sales} \\
 & 2021 & 2022 \\
North & 1,200 & 13 \\
\end{tabular}

- one item
- another item

$$\sum_{k=1}^{n} \frac{1}{k} = H_n$$
"""


def layer(result: Typeset, number: int = 0) -> str:
    document = pypdfium2.PdfDocument(result.pdf)
    try:
        return str(document[number].get_textpage().get_text_bounded()).replace("\r", "")
    finally:
        document.close()


def recall(text: str, expected: str) -> float:
    return token_lcs(tokens(strip_markup(text)), tokens(strip_markup(expected)))


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_each_look_prints_every_word_in_order_on_one_page(look: LookName) -> None:
    result = typeset([PAGE, "", "second"], look)
    assert result.fallbacks == []
    document = pypdfium2.PdfDocument(result.pdf)
    assert len(document) == 3
    width, height = document[0].get_size()
    document.close()
    assert recall(layer(result), PAGE.split("$$")[0]) == 1.0
    assert layer(result, 1).strip() == ""
    assert layer(result, 2).strip() == "second"
    assert [page["page_idx"] for page in result.boxes] == [0, 1, 2]
    assert result.boxes[0]["width"] == pytest.approx(width, abs=0.1)
    kinds = [block["kind"] for block in result.boxes[0]["blocks"]]
    assert kinds == ["heading", "paragraph", "table", "table", "list", "list", "formula"]
    for block in result.boxes[0]["blocks"]:
        x0, y0, x1, y1 = block["box"]
        assert 0 <= x0 < x1 <= width
        assert 0 <= y0 < y1 <= height
        start, end = block["span"]
        assert PAGE[start:end].strip() == PAGE[start:end]
    assert json.loads(json.dumps(result.boxes)) == result.boxes


@pytest.mark.slow
def test_the_words_of_a_block_are_in_its_box() -> None:
    result = typeset([PAGE], "paper")
    document = pypdfium2.PdfDocument(result.pdf)
    text_page = document[0].get_textpage()
    height = result.boxes[0]["height"]
    for block in result.boxes[0]["blocks"]:
        if block["kind"] == "formula":
            continue
        x0, y0, x1, y1 = block["box"]
        inside = text_page.get_text_bounded(x0, height - y1, x1, height - y0)
        start, end = block["span"]
        assert recall(inside, PAGE[start:end]) == 1.0, block
    text_page.close()
    document.close()


@pytest.mark.slow
def test_the_same_texts_give_the_same_bytes() -> None:
    first, second = typeset([PAGE, "b"], "report"), typeset([PAGE, "b"], "report")
    assert first.pdf == second.pdf
    assert first.boxes == second.boxes


@pytest.mark.slow
def test_a_long_document_is_joined_from_parts_with_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(render, "MOST_PAGES", 2)
    texts = ["first", r"second $\nosuch{x}$", PAGE, "fourth", r"fifth $\nosuch{x}$"]
    result = typeset(texts, "report")
    assert [layer(result, number).split()[0] for number in (0, 1, 3, 4)] == [
        "first", "second", "fourth", "fifth",
    ]  # fmt: skip
    assert [page["page_idx"] for page in result.boxes] == [0, 1, 2, 3, 4]
    assert [fallback.page for fallback in result.fallbacks] == [1, 4]
    assert b"/CreationDate(D:20240101000000" in result.pdf
    assert typeset(texts, "report").pdf == result.pdf


@pytest.mark.slow
def test_a_long_text_takes_one_longer_page_in_smaller_type() -> None:
    text = "\n\n".join(f"Paragraph {number} has some words to fill a line." for number in range(90))
    for look in LOOKS:
        result = typeset([text], look)
        assert len(result.boxes) == 1
        assert recall(layer(result), text) == 1.0
    assert typeset([text], "typewriter").boxes[0]["height"] > 800


@pytest.mark.slow
def test_a_wide_table_takes_a_wide_sheet() -> None:
    row = " & ".join(f"considerable{n}" for n in range(24))
    text = r"\begin{tabular}{" + "c" * 24 + "}" + row + r" \\ \end{tabular}"
    result = typeset([text], "report")
    assert result.boxes[0]["width"] > 700
    assert sorted(layer(result).split()) == sorted(row.split(" & "))


@pytest.mark.slow
def test_what_is_refused_is_printed_as_text_and_named() -> None:
    result = typeset([r"before $\nosuch{x}$ after", "plain \U00013000 sign", "third"], "report")
    assert [(f.page, f.kind) for f in result.fallbacks] == [(0, "formula"), (1, "character")]
    assert r"\nosuch{x}" in result.fallbacks[0].detail
    assert "U+13000" in result.fallbacks[1].detail
    assert r"$\nosuch{x}$" in layer(result).replace("\n", " ")
    assert layer(result, 2).strip() == "third"


HOSTILE = r"""
```{=typst}
#read("SECRET")
```

![a caption](SECRET) <img src="SECRET"> `#read("SECRET")` #read("SECRET") #include "SECRET"

$#read("SECRET")$ $\text{#read("SECRET")}$ $std.read("SECRET")$ $\input{SECRET}$ \input{SECRET}

\begin{tabular}{c} #image("SECRET") & " #panic() " \\ \end{tabular}

"#panic("x") \ " \u{41} // comment /* other */ @preview/x:0.1.0 *bold _x_ ~ <label> @label
"""


@pytest.mark.slow
def test_a_page_can_neither_read_files_nor_run_code(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the hidden words")
    text = HOSTILE.replace("SECRET", str(secret))
    result = typeset([text], "report")
    said = layer(result)
    assert "hidden" not in said
    assert "a caption" in said
    assert "// comment" in said
    assert b"hidden" not in result.pdf


@pytest.mark.slow
def test_pandoc_is_given_formulas_only(monkeypatch: pytest.MonkeyPatch) -> None:
    from ohr.typeset import formulas

    given: list[bytes] = []
    run = formulas.subprocess.run

    def spy(command: list[str], **options: object) -> object:
        assert "--sandbox" in command
        data = options["input"]
        assert isinstance(data, bytes)
        given.append(data)
        return run(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(formulas.subprocess, "run", spy)
    typeset(["private words and $a^{2}$"], "report")
    assert len(given) == 1
    assert b"private" not in given[0]


def test_chinese_needs_a_font_and_the_error_names_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NoFonts:
        def families(self) -> list[str]:
            return ["DejaVu Sans"]

    monkeypatch.setattr(looks, "installed", NoFonts)
    looks.chinese_family.cache_clear()
    with pytest.raises(ConfigError, match="apt-get install fonts-noto-cjk"):
        typeset(["中文"], "report")
    looks.chinese_family.cache_clear()


@pytest.mark.slow
def test_chinese_is_printed() -> None:
    try:
        looks.chinese_family()
    except ConfigError:
        pytest.skip("no font for Chinese is installed")
    result = typeset(["这是一个例子，包含公式 $y = 高$。"], "newspaper")
    assert result.fallbacks == []
    assert "这是一个例子" in layer(result)


def test_looks_are_drawn_by_document_from_the_seed() -> None:
    drawn = [look_of(f"law/{number}", 0) for number in range(200)]
    assert drawn == [look_of(f"law/{number}", 0) for number in range(200)]
    assert all(20 <= drawn.count(look) <= 65 for look in LOOKS)
    assert drawn != [look_of(f"law/{number}", 1) for number in range(200)]
