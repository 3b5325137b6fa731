"""Engines out of process: text layers, commands, batches, time limits."""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pypdfium2
import pytest

from ocr_backends import _process
from ocr_backends._process import run
from ohr.documents.pdf import page_count, page_text
from ohr.errors import ConfigError, EngineError, MissingDependencyError
from ohr.types import Outcome, Status
from tests.ocr_backends.programs import PAGES, calls, engine, program, read, texts, write_pdf

# Text layers


def test_pdf_text(pdf: Path, blank: np.ndarray) -> None:
    made = engine("pdf_text")
    assert made.accepts == {"pdf"}
    assert [text.strip() for text in texts(read(made, pdf, 2, 0))] == [PAGES[2], PAGES[0]]
    [beyond] = read(made, pdf, 3)
    assert beyond.status is Status.ERROR
    assert "no page 4" in beyond.detail
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


def test_lines_that_a_command_prints_end_in_a_line_feed(tmp_path: Path, blank: np.ndarray) -> None:
    body = r"sys.stdout.buffer.write(b'# A\r\n\r\nText\r\n')"
    made = engine("command", template=[str(program(tmp_path / "r", body)), "{input}"])
    assert texts(read(made, [blank], 0)) == ["# A\n\nText"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_a_command_prints_may_have_a_byte_order_mark(
    tmp_path: Path, blank: np.ndarray, encoding: str
) -> None:
    body = f"sys.stdout.buffer.write('1922 caf\\xe9\\n1922'.encode({encoding!r}))"
    made = engine("command", template=[str(program(tmp_path / "r", body)), "{input}"])
    assert texts(read(made, [blank], 0)) == ["1922 caf\xe9\n1922"]


@pytest.mark.parametrize("to", ["sys.stdout.buffer.write({})", "open(argv[1], 'wb').write({})"])
def test_what_a_command_writes_that_is_no_text(tmp_path: Path, blank: np.ndarray, to: str) -> None:
    body = to.format("'caf\\xe9'.encode('latin-1')")
    out = ["{output}"] if "argv" in to else []
    made = engine("command", template=[str(program(tmp_path / "r", body)), "{input}", *out])
    [outcome] = read(made, [blank], 0)
    assert outcome.status is Status.ERROR
    assert "is not UTF-8 (byte 0xe9 at 3, line 1): have it write UTF-8" in outcome.detail


def test_a_suffix_that_a_command_adds(tmp_path: Path, blank: np.ndarray) -> None:
    body = "pathlib.Path(argv[1] + '.txt').write_text('read'); pathlib.Path('a.log').touch()"
    template = [str(program(tmp_path / "r", body)), "{input}", "{output}"]
    [outcome] = read(engine("command", template=template), [blank], 0)
    assert outcome.value == "read"
    assert outcome.detail.startswith("output.md.txt read in place of {output}")


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("sys.exit('no such font')", "exit status 1: no such font"),
        ("os.kill(os.getpid(), 11)", "killed by signal 11"),
        ("time.sleep(100)", "took longer than 2 s"),
        ("pathlib.Path(argv[1]).mkdir()", "0 texts in the output folder, 1 expected"),
        ("pass", "the program wrote no {output} (output.md), and nothing else"),
        ("pathlib.Path('page.xml').touch()", "no {output} (output.md), but page.xml"),
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("then", ["time.sleep(99)", "pass"])
def test_a_program_that_floods_is_stopped(
    monkeypatch: pytest.MonkeyPatch, stream: str, then: str
) -> None:
    monkeypatch.setattr(_process, "MOST_BYTES", 100_000)
    code = f"import sys, time; print('x' * 200_000, file=sys.{stream}, flush=True); {then}"
    with pytest.raises(EngineError, match="printed more than 100,000 bytes"):
        run([sys.executable, "-c", code], timeout_s=90, install="")


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


@pytest.mark.slow
def test_a_torn_page_does_not_take_its_batch_with_it(tmp_path: Path) -> None:
    write_pdf(tmp_path / "torn.pdf", ["fine", "bad", "fine too"])
    reader = program(tmp_path / "marker_single", BATCH)
    made = engine("marker", executable=str(reader))
    outcomes = read(made, tmp_path / "torn.pdf", 0, 1, 2)
    assert [o.status for o in outcomes] == [Status.OK, Status.ERROR, Status.OK]
    assert "a page is torn" in outcomes[1].detail


RUBBISH = """
out = pathlib.Path(argv[argv.index("--output") + 1])
refs = [{"$ref": f"#/texts/{9 if 'bad' in page else n}"} for n, page in enumerate(pages)]
texts = [{"label": "text", "text": page, "prov": [{"page_no": n}]}
         for n, page in enumerate(pages, start=1)]
(out / "pages.json").write_text(json.dumps({"body": {"children": refs}, "texts": texts}))
"""


@pytest.mark.slow
def test_rubbish_about_a_page_does_not_take_its_batch_with_it(tmp_path: Path) -> None:
    write_pdf(tmp_path / "torn.pdf", ["fine", "bad", "fine too"])
    reader = program(tmp_path / "docling", RUBBISH)
    outcomes = read(engine("docling", executable=str(reader)), tmp_path / "torn.pdf", 0, 1, 2)
    assert [o.value for o in outcomes] == ["fine", None, "fine too"]
    assert "IndexError" in outcomes[1].detail


def test_a_page_that_a_program_leaves_out_has_failed(tmp_path: Path) -> None:
    write_pdf(tmp_path / "left.pdf", ["first", "second"])
    reader = program(tmp_path / "marker_single", BATCH.replace("enumerate(pages)", "[(1, 'two')]"))
    first, second = read(engine("marker", executable=str(reader)), tmp_path / "left.pdf", 0, 1)
    assert first == Outcome.error("marker: nothing about the page in what it wrote")
    assert second.value == "two"


def test_what_is_wrong_with_a_plan_is_no_outcome_of_a_page(
    tmp_path: Path, pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = engine("marker", executable=str(program(tmp_path / "marker_single", BATCH)))

    def refuse(*given: object) -> None:
        raise ConfigError("no such mode")

    monkeypatch.setattr(type(made), "convert", refuse)
    with pytest.raises(ConfigError, match="no such mode"):
        read(made, pdf, 0)


def test_a_file_that_is_no_pdf_is_an_error_on_each_page(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.4 nothing")
    reader = program(tmp_path / "marker_single", BATCH)
    outcomes = read(engine("marker", executable=str(reader)), tmp_path / "x.pdf", 0, 1)
    assert [o.status for o in outcomes] == [Status.ERROR] * 2
    assert calls(reader) == []


@pytest.mark.parametrize(
    ("first", "python"),
    [
        ("#!/opt/venv/bin/python3", "/opt/venv/bin/python3"),
        ("#!/usr/bin/python3 -sP", "/usr/bin/python3"),
        ('#!"/home/a b/bin/python"', "/home/a b/bin/python"),
        ("#!/home/o'hara/bin/python", "/home/o'hara/bin/python"),
        ("#!/usr/bin/env python3", "python3"),
        ("#!/usr/bin/env -S python3 -I", "python3"),
        ("#!/bin/sh", "{folder}/python"),
    ],
)
def test_the_python_that_a_program_runs_in(tmp_path: Path, first: str, python: str) -> None:
    script = tmp_path / "reader"
    script.write_text(f"{first}\nprint(1)\n")
    assert _process._interpreter(script) == python.format(folder=tmp_path.resolve())


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
    from ohr.documents.pdf import extract_pages

    extract_pages(pdf, [2, 0], tmp_path / "some.pdf")
    assert page_count(tmp_path / "some.pdf") == 2
    assert page_text(tmp_path / "some.pdf", 0).strip() == PAGES[2]
    with pytest.raises(EngineError, match="no page 6"):
        extract_pages(pdf, [5], tmp_path / "none.pdf")
