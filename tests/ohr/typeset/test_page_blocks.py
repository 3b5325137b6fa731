"""Blocks of a page: what is printed, and where it is in the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ohr.markup.tables.content import Break, Math, Node, Styled, Text
from ohr.typeset.page_blocks import filled_breaks, page_blocks

PAGE = r"""# Tides of *2024*

A paragraph with **bold** words,
a price of \$ 5 and $x^2$.

- first
- second
12. twelfth

\begin{tabular}{|c|c|}
a & 1 \\
\end{tabular}

$$\frac{1}{2}$$

![The harbour](../secret.png)

```python
def f():
    return 1
```
"""


def words(nodes: tuple[Node, ...]) -> str:
    said = ""
    for node in nodes:
        match node:
            case Text(value):
                said += value
            case Styled(_, children):
                said += words(children)
            case Math(source):
                said += f"${source}$"
            case Break():
                said += "\n"
    return said


def test_each_block_has_its_kind_its_words_and_its_source() -> None:
    blocks = page_blocks(PAGE)
    assert [block.kind for block in blocks] == [
        "heading", "paragraph", "list", "list", "list", "table", "formula", "figure", "code",
    ]  # fmt: skip
    printed = {block.kind: words(block.nodes) for block in blocks}
    assert printed["heading"] == "Tides of 2024"
    assert printed["paragraph"] == "A paragraph with bold words,\na price of $ 5 and $x^2$."
    assert printed["list"] == "12. twelfth"
    assert printed["figure"] == "The harbour"
    assert printed["code"] == "def f():\n    return 1"
    assert PAGE[blocks[1].start : blocks[1].end].startswith("A paragraph")
    assert PAGE[blocks[2].start : blocks[2].end] == "- first"
    assert blocks[0].level == 1


def test_lines_that_were_filled_are_one_paragraph_and_others_stay_lines() -> None:
    filled = "the quick brown fox jumps over\nsomething lazy in the shadows\nof the old apple tree"
    assert len(filled_breaks(filled, 0, len(filled))) == 2
    address = "Harbour Stores\n12 Quay Street\nPort of Saint Ives"
    assert not filled_breaks(address, 0, len(address))


def test_tags_and_commands_become_what_a_reader_sees() -> None:
    [block] = page_blocks(r"one<br>two <b>three</b> <username> 4 < 5 &amp; \textbf{six} \alpha")
    assert words(block.nodes) == "one\ntwo three <username> 4 < 5 & six \u03b1"


@given(st.text(alphabet="ab \n#*-$|\\{}<>`_1&[]()!~中", max_size=120))
def test_any_text_has_blocks_in_order_that_do_not_overlap(text: str) -> None:
    done = 0
    for block in page_blocks(text):
        assert done <= block.start < block.end <= len(text)
        assert text[block.start : block.end].strip() == text[block.start : block.end]
        done = block.end
