"""``ohr dataset layers``: which text layers can be trusted, from the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import Result

from experiments import dataset_layers as layers
from tests.builders import CliRunner, stream, write_objects, write_page, write_pdf

SENTENCE = "The harbour office keeps a record of every ship that enters the port and pays the dues"
SWAPPED = dict(zip("aehortsn", "eahtorns", strict=True))
"""What the lying layer says for each letter."""
ENCRYPTED = (
    "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 "
    f"/O <{'41' * 32}> /U <{'42' * 32}> >> /ID [<00> <00>] /Root 1 0 R"
)


def lines(words: str, count: int = 8) -> str:
    """The content of a page with some lines of text."""
    rows = words.split()
    middle = len(rows) // 2
    shown = [" ".join(rows[:middle]), " ".join(rows[middle:])] * (count // 2)
    text = " ".join(f"({line}) Tj 0 -14 Td" for line in shown)
    return f"BT /F 8 Tf 10 230 Td {text} ET"


def write_lying(path: Path) -> Path:
    """A PDF that shows a sentence, and whose ToUnicode map calls its letters by other names."""
    codes = "".join(
        f"<{ord(letter):02X}> <{ord(SWAPPED.get(letter, letter)):04X}>\n"
        for letter in sorted({*SENTENCE})
    )
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len({*SENTENCE})} beginbfchar\n{codes}endbfchar\n"
        "endcmap CMapName currentdict /CMap defineresource pop end end"
    )
    return write_objects(
        path,
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 260] /Contents 4 0 R "
            "/Resources << /Font << /F 5 0 R >> >> >>",
            stream("", lines(SENTENCE)),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
            stream("", to_unicode),
        ],
    )


def run(*arguments: object) -> Result:
    return CliRunner().invoke(layers.main, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def checked_folder(tmp_path_factory) -> tuple[Result, Path]:
    """The command's result on a folder with PDFs of all kinds, and where it wrote."""
    root = tmp_path_factory.mktemp("layers")
    folder, out = root / "pdfs", root / "out"
    folder.mkdir()
    write_page(folder / "<img src=x>.pdf", lines(SENTENCE))
    write_lying(folder / "lying.pdf")
    write_pdf(folder / "scan.pdf", 3)
    locked = write_page(folder / "locked.pdf", lines(SENTENCE))
    locked.write_text(locked.read_text().replace("/Root 1 0 R", ENCRYPTED))
    (folder / "torn.pdf").write_text("%PDF-1.4 torn")
    (folder / "notes\x1b[31m.txt").write_text("x")
    return run(folder, "--out", out), out


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "layers.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_a_layer_is_usable_only_if_it_says_what_the_page_shows(checked_folder):
    result, out = checked_folder
    assert result.exit_code == 0, result.output
    table = rows(out)
    assert list(table[0]) == [
        "document", "page", "usable", "doubtful_words", "order_known", "covered", "reason",
    ]  # fmt: skip
    usable = {(row["document"].partition("/")[2], row["page"]): row["usable"] for row in table}
    assert usable == {
        ("<img src=x>", "1"): "yes",
        ("locked", "1"): "no",
        ("lying", "1"): "no",
        ("scan", "1"): "no",
        ("scan", "2"): "no",
        ("scan", "3"): "no",
        ("torn", "1"): "no",
    }
    by_name = {row["document"]: row for row in table}
    assert int(by_name["documents/lying"]["doubtful_words"]) > 20
    assert "letters" in by_name["documents/lying"]["reason"]
    right = by_name["documents/<img src=x>"]
    assert (right["doubtful_words"], right["order_known"], right["covered"]) == (
        "0",
        "yes",
        "1.000",
    )


def test_the_terminal_has_a_line_per_pdf_the_pages_to_read_and_what_was_left_out(checked_folder):
    result, out = checked_folder
    printed = result.stdout.splitlines()
    assert "<img src=x>.pdf: 1 of 1 page usable" in printed
    assert "lying.pdf: 0 of 1 page usable" in printed
    assert "scan.pdf: 0 of 3 pages usable" in printed
    assert [line.split()[:2] for line in printed if "has no text" in line] == [["1-3", "no"]]
    assert any(line.startswith("locked.pdf: ") and "password" in line for line in printed)
    assert any(line.startswith("torn.pdf: ") for line in printed)
    assert "1 file of another kind was not read: 1 .txt" in printed
    assert (
        "Use the text layer of 1 of 5 pages; read 4 pages with OCR (ohr read): "
        "lying.pdf page 1; scan.pdf pages 1-3."
    ) in printed
    assert printed[-1] == f"every page: {out / 'layers.csv'}"


def test_the_contact_sheet_shows_doubtful_words_and_escapes_names(checked_folder):
    _, out = checked_folder
    html = (out / "doubtful.html").read_text("utf-8")
    assert "lying.pdf" in html
    assert html.count("data:image/webp;base64,") == 5
    assert "<img src=x>" not in html


@pytest.mark.slow
def test_the_same_pdfs_give_the_same_table_whatever_was_named_first(checked_folder, tmp_path):
    _, out = checked_folder
    folder = out.parent / "pdfs"
    again = run(folder / "lying.pdf", folder / "scan.pdf", "--pages", "1", "--out", tmp_path)
    assert again.exit_code == 1
    assert "Read all 2 pages with OCR (ohr read)" in again.stdout
    first = [row for row in rows(out) if row["page"] == "1"]
    assert rows(tmp_path) == [
        row for row in first if row["document"] in ("documents/lying", "documents/scan")
    ]


def test_a_folder_without_pdfs_is_an_error_that_says_what_it_has(tmp_path):
    (tmp_path / "a.docx").write_text("x")
    result = run(tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: no PDF or image in ")
    assert not (tmp_path / "out").exists()
