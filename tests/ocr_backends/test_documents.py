"""Engines out of process: stand-in programs write what the real ones document; MinerU is real."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pypdfium2
import pytest
import typst

from ocr_backends import _process
from ocr_backends._process import run
from ohr import registry
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.pdf import page_count, page_text
from ohr.plugins import OcrBackend
from ohr.types import Outcome, Status

PAGES = ["First page about copper.", "Second page about zinc.", "Third page about tin."]


def write_pdf(path: Path, pages: Sequence[str]) -> None:
    """A PDF with a text layer."""
    source = "#pagebreak()\n".join(f"{text}\n" for text in pages)
    path.write_bytes(typst.compile(f"#set page(width: 12cm, height: 8cm)\n{source}".encode()))


def engine(name: str, **params: Any) -> Any:
    return registry.create("engine", {"name": name, "params": params})


def read(made: OcrBackend, source: Any, *numbers: int) -> list[Outcome[str]]:
    found = list(made.transcribe(source, numbers))
    assert [number for number, _ in found] == list(numbers)
    return [outcome for _, outcome in found]


def texts(outcomes: list[Outcome[str]]) -> list[str]:
    assert [outcome.status for outcome in outcomes] == [Status.OK] * len(outcomes)
    return [outcome.value or "" for outcome in outcomes]


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "report; rm -rf $HOME.pdf"  # a file's name is not trusted
    write_pdf(path, PAGES)
    return path


@pytest.fixture
def blank() -> np.ndarray:
    return np.full((60, 80), 255, np.uint8)


def program(path: Path, body: str) -> Path:
    """A Python program, with ``out``, ``pages`` (their texts) and ``log`` (its calls) at hand."""
    path.write_text(
        f"#!{sys.executable}\n"
        + textwrap.dedent(
            """
            import json, os, pathlib, re, sys, time
            import pypdfium2
            argv = sys.argv[1:]
            source = next((a for a in argv if a.endswith((".pdf", ".png"))), None)
            pages = ["a picture"]
            if source is not None and source.endswith(".pdf"):
                pdf = pypdfium2.PdfDocument(source)
                pages = [page.get_textpage().get_text_range() for page in pdf]
            log = pathlib.Path(__file__ + ".log")
            with log.open("a") as stream:
                stream.write(json.dumps([argv, pages, os.environ.get("HF_HUB_OFFLINE")]) + "\\n")
            """
        )
        + textwrap.dedent(body)
    )
    path.chmod(0o755)
    return path


def calls(path: Path) -> list[Any]:
    log = Path(f"{path}.log")
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


# Text layers


def test_pdf_text(pdf: Path, blank: np.ndarray) -> None:
    made = engine("pdf_text")
    assert made.accepts == {"pdf"}
    assert [text.strip() for text in texts(read(made, pdf, 2, 0))] == [PAGES[2], PAGES[0]]
    [beyond] = read(made, pdf, 3)
    assert beyond.status is Status.ERROR
    assert "no page 3" in beyond.detail
    with pytest.raises(ConfigError, match="text layer of PDFs, not page images"):
        next(made.transcribe([blank], [0]))
    assert "pypdfium2" in made.identity()["engine_version"]


def test_a_scanned_page_is_empty(tmp_path: Path) -> None:
    document = pypdfium2.PdfDocument.new()
    document.new_page(300, 300)
    document.save(tmp_path / "scan.pdf")
    assert [o.status for o in read(engine("pdf_text"), tmp_path / "scan.pdf", 0)] == [Status.EMPTY]


# The command


def test_command_by_standard_output(tmp_path: Path, pdf: Path) -> None:
    made = engine("command", template=f"{program(tmp_path / 'reader', PRINT)} -x {{input}}",
                  input="pdf")  # fmt: skip
    assert [text.split() for text in texts(read(made, pdf, 1, 2))] == [
        PAGES[1].split(),
        PAGES[2].split(),
    ]
    # Each call was handed one page of the PDF under a name of our own.
    seen = calls(tmp_path / "reader")
    assert [len(pages) for _, pages, _ in seen] == [1, 1]
    assert not any("report" in part for argv, _, _ in seen for part in argv)


PRINT = "print(pages[0])"


@pytest.mark.parametrize(
    "body",
    [
        "pathlib.Path(argv[1]).write_text('# ' + pages[0])",
        "p = pathlib.Path(argv[1]); p.mkdir(); (p / 'x.png').touch(); "
        "(p / 'a.md').write_text('# ' + pages[0])",
    ],
)
def test_command_by_output_file_or_folder(tmp_path: Path, blank: np.ndarray, body: str) -> None:
    made = engine("command", template=[str(program(tmp_path / "r", body)), "{input}", "{output}"])
    assert made.accepts == {"image"}
    assert texts(read(made, [blank, blank], 0, 1)) == ["# a picture"] * 2
    with pytest.raises(ConfigError, match="reads page images, not PDFs"):
        next(made.transcribe(tmp_path / "x.pdf", [0]))


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("sys.exit('no such font')", "exit status 1: no such font"),
        ("os.kill(os.getpid(), 11)", "killed by signal 11"),
        ("time.sleep(100)", "took longer than 2 s"),
        ("pathlib.Path(argv[1]).mkdir()", "0 texts in the output folder, 1 expected"),
        ("pass", "the program wrote no {output}"),
    ],
)
def test_command_that_fails(tmp_path: Path, blank: np.ndarray, body: str, detail: str) -> None:
    template = [str(program(tmp_path / "r", body)), "{input}", "{output}"]
    patience = 2 if "longer" in detail else 100
    [outcome] = read(engine("command", template=template, timeout_s=patience), [blank], 0)
    assert outcome.status is Status.ERROR
    assert detail in outcome.detail


def test_an_edited_script_is_another_engine(
    tmp_path: Path, blank: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("read.py").write_text("print('one')")
    Path("settings.ini").write_text("a = 1")
    direct = program(tmp_path / "reader", PRINT)
    by_name = engine(
        "command", template=[sys.executable, "read.py", "-c", "settings.ini", "{input}"]
    )
    itself = engine("command", template=f"{direct} -x {{input}}")
    before = by_name.identity(), itself.identity()
    assert texts(read(by_name, [blank], 0)) == ["one"]  # though it runs in another folder
    assert (by_name.identity(), itself.identity()) == before
    Path("read.py").write_text("print('two')")
    assert by_name.identity() != before[0]
    changed = by_name.identity()
    Path("settings.ini").write_text("a = 2")
    assert by_name.identity() != changed
    direct.write_text(direct.read_text() + "\n")
    assert itself.identity() != before[1]


def test_command_that_is_wrong_says_so() -> None:
    with pytest.raises(ConfigError, match=r"no \{input\}"):
        engine("command", template="reader page.png")
    with pytest.raises(MissingDependencyError, match="no program 'no-such-reader'"):
        engine("command", template="no-such-reader {input}").engine_version()


def test_a_timeout_kills_the_whole_group(tmp_path: Path) -> None:
    marker = f"sleeper-{tmp_path}"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)', {marker!r}]); time.sleep(99)"  # noqa: E501
    with pytest.raises(EngineError, match="longer than 1 s"):
        run([sys.executable, "-c", code], timeout_s=1, install="")
    deadline = time.monotonic() + 60
    while any(
        marker in " ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"])
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_child_that_keeps_the_output_open_is_not_waited_for() -> None:
    code = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); print('done')"  # noqa: E501
    # Were it waited for, that would take longer than the timeout.
    assert run([sys.executable, "-c", code], timeout_s=50, install="") == b"done\n"


# Batches


BATCH = """
out = argv[argv.index("--output_dir") + 1]
if "bad" in " ".join(pages) and len(pages) > 1 or pages == ["bad"]:
    sys.exit("a page is torn")
text = "".join(f"\\n\\n{{{n}}}{'-' * 48}\\n\\n{page}" for n, page in enumerate(pages))
path = pathlib.Path(out) / "pages" / "pages.md"
path.parent.mkdir()
path.write_text(text)
"""


def test_pages_come_in_batches(tmp_path: Path, pdf: Path) -> None:
    reader = program(tmp_path / "marker_single", BATCH)
    made = engine("marker", executable=str(reader), batch=2)
    for number in range(3):  # one by one, as a worker asks
        assert texts(read(made, pdf, number)) == [PAGES[number]]
    assert [len(pages) for _, pages, _ in calls(reader)] == [2, 1]
    assert {offline for _, _, offline in calls(reader)} == {"1"}
    copied = pickle.loads(pickle.dumps(made))
    assert texts(read(copied, pdf, 2, 0)) == [PAGES[2], PAGES[0]]  # together
    assert [len(pages) for _, pages, _ in calls(reader)] == [2, 1, 2]


def test_a_torn_page_does_not_take_its_batch_with_it(tmp_path: Path) -> None:
    write_pdf(tmp_path / "torn.pdf", ["fine", "bad", "fine too"])
    reader = program(tmp_path / "marker_single", BATCH)
    made = engine("marker", executable=str(reader))
    outcomes = read(made, tmp_path / "torn.pdf", 0, 1, 2)
    assert [o.status for o in outcomes] == [Status.OK, Status.ERROR, Status.OK]
    assert "a page is torn" in outcomes[1].detail


def test_a_file_that_is_no_pdf_is_an_error_on_each_page(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.4 nothing")
    reader = program(tmp_path / "marker_single", BATCH)
    outcomes = read(engine("marker", executable=str(reader)), tmp_path / "x.pdf", 0, 1)
    assert [o.status for o in outcomes] == [Status.ERROR] * 2
    assert calls(reader) == []


# What each writes


MINERU_3 = """
if "--version" in argv:
    print("mineru, version 3.4.5")
    sys.exit()
out = pathlib.Path(argv[argv.index("-o") + 1]) / "pages" / "auto"
out.mkdir(parents=True)
items = [
    {"type": "header", "text": "Annual report", "page_idx": 0},
    {"type": "text", "text": "Copper", "text_level": 1, "page_idx": 0},
    {"type": "text", "text": pages[0], "page_idx": 0},
    {"type": "equation", "text": "$$\\nx = 1\\n$$", "text_format": "latex", "page_idx": 0},
    {"type": "table", "table_body": "<table><tr><td>1</td></tr></table>",
     "table_caption": ["Table 1: Copper"], "table_footnote": ["in tonnes"], "page_idx": 0},
    {"type": "list", "list_items": ["first", "second"], "page_idx": 0},
    {"type": "image", "img_path": "a.jpg", "image_caption": ["Figure 1: A mine"], "page_idx": 0},
]
(out / "pages_content_list.json").write_text(json.dumps(items))
"""
MINERU_EXPECTED = """# Copper

First page about copper.

$$
x = 1
$$

Table 1: Copper

<table><tr><td>1</td></tr></table>

in tonnes

- first
- second

Figure 1: A mine"""


def test_mineru_3(tmp_path: Path, pdf: Path, blank: np.ndarray) -> None:
    reader = program(tmp_path / "mineru", MINERU_3)
    made = engine("mineru", executable=str(reader), mode="pipeline")
    assert made.accepts == {"image", "pdf"}
    first, second = read(made, pdf, 0, 1)
    assert first.value == MINERU_EXPECTED
    assert second.status is Status.EMPTY
    whole = engine("mineru", executable=str(reader), mode="pipeline",
                   normalise={"furniture": False})  # fmt: skip
    assert texts(read(whole, pdf, 0)) == ["Annual report\n\n" + MINERU_EXPECTED]
    assert made.engine_version() == "3.4.5"
    assert "a picture" in texts(read(made, [blank], 0))[0]
    with pytest.raises(ConfigError, match=r"mode 'flash' needs MinerU 4, found 3\.4\.5"):
        engine("mineru", executable=str(reader)).engine_version()


def test_what_mineru_wrote_may_be_rubbish(tmp_path: Path, pdf: Path) -> None:
    body = MINERU_3.replace("json.dumps(items)", "'{\"pages\": 7}'")
    made = engine("mineru", executable=str(program(tmp_path / "mineru", body)), mode="pipeline")
    assert [o.status for o in read(made, pdf, 0)] == [Status.ERROR]


def real_mineru() -> str | None:
    return os.environ.get("OHR_MINERU") or shutil.which("mineru-kit")


@pytest.mark.slow
@pytest.mark.skipif(
    real_mineru() is None, reason="no MinerU 4: install it, and name mineru-kit in OHR_MINERU"
)
def test_mineru_4_flash_reads_text_layers(pdf: Path, tmp_path: Path) -> None:
    made = engine("mineru", executable=real_mineru())
    assert made.accepts == {"pdf"}
    assert made.engine_version().startswith("4.")
    assert texts(read(made, pdf, 0, 2)) == [PAGES[0], PAGES[2]]
    with pytest.raises(ConfigError, match="no tier of MinerU 4"):
        engine("mineru", executable=real_mineru(), mode="pipeline").engine_version()


DOCLING = """
out = pathlib.Path(argv[argv.index("--output") + 1])
def at(page):
    return [{"page_no": page, "bbox": {}, "charspan": [0, 1]}]
cell = lambda row, column, text, span=1: {
    "start_row_offset_idx": row, "start_col_offset_idx": column, "text": text, "row_span": 1,
    "col_span": span}
document = {
    "schema_name": "DoclingDocument",
    "body": {"children": [{"$ref": "#/texts/0"}, {"$ref": "#/texts/1"}, {"$ref": "#/groups/0"},
                          {"$ref": "#/tables/0"}, {"$ref": "#/texts/5"}, {"$ref": "#/pictures/0"}]},
    "furniture": {"children": [{"$ref": "#/texts/6"}]},
    "groups": [{"label": "list", "children": [{"$ref": "#/texts/2"}, {"$ref": "#/texts/3"}]}],
    "texts": [
        {"label": "section_header", "level": 1, "text": "Copper", "prov": at(1)},
        {"label": "text", "text": pages[0], "prov": at(1)},
        {"label": "list_item", "text": "first", "marker": "-", "prov": at(1)},
        {"label": "list_item", "text": "second", "marker": "2.", "prov": at(1)},
        {"label": "caption", "text": "Table 1: Copper & zinc", "prov": at(2)},
        {"label": "formula", "text": "x = 1", "prov": at(2)},
        {"label": "page_footer", "text": "17", "prov": at(2)},
        {"label": "caption", "text": "Figure 1: A mine", "prov": at(2)},
    ],
    "tables": [{"label": "table", "captions": [{"$ref": "#/texts/4"}], "prov": at(2),
                "children": [{"$ref": "#/texts/4"}],
                "data": {"table_cells": [cell(0, 0, "a < b", 2), cell(1, 0, "1"),
                                         cell(1, 1, "2")]}}],
    "pictures": [{"label": "picture", "captions": [{"$ref": "#/texts/7"}], "prov": at(2)}],
}
(out / "pages.json").write_text(json.dumps(document))
"""


def test_docling(tmp_path: Path, pdf: Path) -> None:
    made = engine("docling", executable=str(program(tmp_path / "docling", DOCLING)),
                  normalise={"furniture": False})  # fmt: skip
    assert texts(read(made, pdf, 0, 1)) == [
        f"## Copper\n\n{PAGES[0]}\n\n- first\n2. second",
        'Table 1: Copper & zinc\n\n<table><tr><td colspan="2">a &lt; b</td></tr>'
        "<tr><td>1</td><td>2</td></tr></table>\n\n$$x = 1$$\n\nFigure 1: A mine\n\n17",
    ]


@pytest.mark.parametrize(("name", "package"), [("marker", "marker-pdf"), ("docling", "docling")])
def test_what_is_not_installed_names_the_command(tmp_path: Path, name: str, package: str) -> None:
    made = engine(name, executable="no-such-program")
    with pytest.raises(MissingDependencyError, match=f"pip install {package}"):
        made.engine_version()
    # A program of another environment: its own interpreter is asked, and has no such package.
    _process.program_version.cache_clear()
    made = engine(name, executable=str(program(tmp_path / "p", "pass")))
    with pytest.raises(MissingDependencyError, match=f"{package} is not in the environment"):
        made.engine_version()


def test_extracted_pages_keep_their_text(pdf: Path, tmp_path: Path) -> None:
    from ohr.pdf import extract_pages

    extract_pages(pdf, [2, 0], tmp_path / "some.pdf")
    assert page_count(tmp_path / "some.pdf") == 2
    assert page_text(tmp_path / "some.pdf", 0).strip() == PAGES[2]
    with pytest.raises(EngineError, match="no page 5"):
        extract_pages(pdf, [5], tmp_path / "none.pdf")
