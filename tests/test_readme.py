"""The commands and snippets of the README and of the site do what they say."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import typst
from PIL import Image

from experiments import ocr_benchmark
from experiments._commands import EARLIER, GROUPS, SINGLE, all_commands
from experiments._flags import flag_name
from tests.builders import CliRunner, write_calibration, write_kb
from tests.conftest import ROOT

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.parent.name != "generated"
}


def fenced(language: str) -> list[tuple[str, str]]:
    """Every block in a language, each once, with its page."""
    blocks = {
        block: page
        for page, text in PAGES.items()
        for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        if not block.startswith("--8<--")  # a file, which tests/test_extend.py runs
    }
    return [(page, block) for block, page in blocks.items()]


COMMANDS = list(
    dict.fromkeys(
        command
        for page, block in fenced("bash")
        for command in block.replace("\\\n", " ").splitlines()
        if command.startswith("ohr ") and not page.startswith("docs/extend/")
    )
)
SNIPPETS = [pytest.param(block, id=page) for page, block in fenced("python")]
FEW = ["dataset.limit=4", "dataset.pages=evidence", "dpi=60", "seeds=0", "bootstrap=100"]
"""Options with which a study that reads pages takes seconds."""
SMALLER = {
    "drc": FEW,
    "extraction": FEW,
    "mitigations": [*FEW, "--arms", "light,ngrams"],
    "ohrbench": [*FEW, "engines=[gt,tesseract]"],
    "prototypes": ["bootstrap=100"],
    "dev_style": ["bootstrap=100"],
    "structure": FEW,
    "systems": FEW,
}


ON_PUBLISHED = {
    "noise_statistics": ["dataset.documents=finance/AMAZON_2017_10K", "levels=severe"],
    "dev_fit_errors": ["--domains", "manual", "--check-pages", "5"],
    "dev_check_errors": ["--domains", "manual", "--check-pages", "5"],
    "dataset_twins": [],
    "dataset_typeset": [],
}
"""Commands on the published data, and what makes each take seconds."""


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """In a folder, whose modules can be imported, as those of ``python -m`` and ``-c`` can."""
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for path in folder.glob("*.py"):
            patch.delitem(sys.modules, path.stem, raising=False)
        try:
            yield
        finally:
            for path in folder.glob("*.py"):
                sys.modules.pop(path.stem, None)


def parsed(command: str) -> tuple[str, list[str]]:
    """The file in experiments/ that a command of the app runs, and its arguments."""
    name, first, *arguments = shlex.split(command)
    assert name == "ohr"
    if first in SINGLE:
        return SINGLE[first], arguments
    return GROUPS[first][1][arguments[0]], arguments[1:]


def without(arguments: list[str], more: Sequence[str]) -> list[str]:
    """Arguments without the flags that ``more`` sets again."""
    flags = {each for each in more if each.startswith("--")}
    flags |= {flag_name(each.partition("=")[0]) for each in more if not each.startswith("-")}
    kept, rest = [], [*arguments]
    while rest:
        argument = rest.pop(0)
        if argument.partition("=")[0] not in flags:
            kept.append(argument)
        elif "=" not in argument:
            rest.pop(0)
    return kept


def code(page: str) -> str:
    """The code spans and blocks of a page, one below the other."""
    return "\n".join(re.findall(r"```.*?```|`[^`]+`", page, re.DOTALL)) + "\n"


def give(command: str, folder: Path, *more: str) -> str:
    """What a command prints that is given in a folder, in this process; it must succeed."""
    module, arguments = parsed(command)
    with working_in(folder):
        main = importlib.import_module(f"experiments.{module}").main
        done = CliRunner().invoke(main, [*without(arguments, more), *more])
    assert done.exit_code == 0, done.output
    return done.stdout


def run(arguments: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, and whatever its end."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_the_pages_have_their_commands():
    assert len(COMMANDS) == 54
    assert len(SNIPPETS) == 4


def test_the_readme_is_short():
    assert len(PAGES["README.md"].encode()) <= 8192


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_names_is_there(page):
    for room, name in re.findall(r"python -m (experiments|benchmarks)\.(\w+)", PAGES[page]):
        assert importlib.util.find_spec(f"{room}.{name}"), f"{room}.{name}"
    named = re.findall(r"\bohr ([a-z]+)(?: ([a-zA-Z0-9-]+))?(?=[ `\n])", code(PAGES[page]))
    for first, second in named:
        there = first in SINGLE or second in {*GROUPS[first][1], "", "NAME"}
        assert there, f"ohr {first} {second}"


@pytest.mark.parametrize("page", PAGES)
def test_a_command_is_named_as_it_is_typed(page):
    leaves = {*(name for _, name, _ in all_commands()), *EARLIER}
    for span in re.findall(r"`([^`\n]+)`", PAGES[page]):
        first, second = [*span.split(), "", ""][:2]
        is_option = first in leaves and second.startswith("--")
        assert not is_option, f"{page}: {span}: write it with ohr"
        assert first not in GROUPS or second not in GROUPS[first][1], f"{page}: {span}"


STUDIES = [
    command
    for command in COMMANDS
    if parsed(command)[0]
    in ("ocr_benchmark", "noise_curve", "calibrate", "table_format", "retrievers", "attribution")
]


@pytest.mark.slow
@pytest.mark.parametrize("command", STUDIES, ids=lambda command: command.split("--out ")[-1])
def test_commands_make_a_plan(command, request, documents_folder):
    tmp_path = documents_folder
    if "tesseract" in command and not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    (tmp_path / "my_pdfs").mkdir()
    (tmp_path / "my_pdfs" / "a.pdf").write_bytes(typst.compile(b"Sales: 12 euros.", format="pdf"))
    (tmp_path / "my_questions.csv").write_text("question,answer,document,page\nSales?,12,a,1\n")
    write_kb(tmp_path / "my_reading", {"law/a": ["text"]})
    write_calibration(tmp_path / "runs/calibrated/calibration.json")
    if "$D" in command:
        command = command.replace("$D", str(request.getfixturevalue("data_dir")))
    command = command.replace("/path/to", str(tmp_path))
    printed = give(command, tmp_path, "--dry-run")
    documents = r"documents?( \(of \d+ that are searched\))?"
    assert re.search(rf"\d+ questions of \d+ {documents}; .* \d+ cells", printed)


@pytest.mark.slow
@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run(snippet, documents_folder, capsys):
    for path in (ROOT / "docs" / "extend").glob("my_*"):
        shutil.copy(path, documents_folder)
    Image.fromarray(np.full((200, 300), 255, np.uint8)).save(documents_folder / "page.png")
    for whole, part in (
        ('"limit": 8', '"limit": 4'),
        ('"semantic",', '"semantic", dpi=60, seeds=0, bootstrap=100,'),
    ):
        snippet = snippet.replace(whole, part)
    with working_in(documents_folder):
        exec(snippet, {"__name__": "__main__"})
    assert capsys.readouterr().out.strip()


@pytest.mark.slow
def test_a_folder_of_pdfs_end_to_end(tmp_path):
    if not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    (tmp_path / "my_pdfs").mkdir()
    page = "#set text(size: 14pt)\nSales in the year 2017 were 12 million euros."
    (tmp_path / "my_pdfs" / "a.pdf").write_bytes(typst.compile(page.encode(), format="pdf"))
    (tmp_path / "my_questions.csv").write_text(
        "question,answer,document,page\nWhat were sales in 2017?,12 million euros,a.pdf,1\n"
    )
    command = next(c for c in COMMANDS if "kind folder" in c).replace(",rapidocr", "")
    assert "tesseract" in give(command, tmp_path)
    assert (tmp_path / "runs" / "mine" / "figures" / "ocr_benchmark.png").exists()


ON_THE_SAMPLE = [
    command.replace("--pages 1000", "--pages 21").replace("gt,tesseract,rapidocr,structured", "gt")
    for command in COMMANDS
    if command not in STUDIES
    and not any(others in command for others in ("my_pdfs", "$D", "runs/signals"))
]


@pytest.mark.slow
@pytest.mark.parametrize("command", ON_THE_SAMPLE, ids=lambda command: command[4:])
def test_commands_on_the_sample_run(command, documents_folder):
    for folder in ("my_sample", "my_insurance"):
        if f"{folder}/" in command:
            made = (one for one in ON_THE_SAMPLE if parsed(one)[0] == "dataset_make_sample")
            give(next(one for one in made if f"--out {folder}" in one), documents_folder)
    reworded = documents_folder / "reworded.csv"
    reworded.write_text("qid,question\nsample-0001,And what of it?\n")
    smaller = SMALLER.get(parsed(command)[0], [])
    assert give(command, documents_folder, *smaller).strip()


MISTYPED = ["-m", "experiments.ocr_benchmark", "engines=[tesserakt]", "--out", "runs/x"]


@pytest.mark.slow
def test_errors_are_one_line(sample_folder):
    done = run(MISTYPED, sample_folder)
    assert done.returncode == 2
    assert done.stderr.startswith("error: unknown engine 'tesserakt'; did you mean 'tesseract'?")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_traceback_is_for_debugging(sample_folder):
    assert "Traceback" in run([*MISTYPED, "--debug"], sample_folder).stderr


def test_a_study_is_told_where_to_write():
    nowhere = CliRunner().invoke(ocr_benchmark.main, [])
    assert nowhere.exit_code == 2
    assert "--out" in nowhere.output


@pytest.mark.slow
@pytest.mark.parametrize("name", ["perturb_text", "format_counts"])
def test_text_is_rewritten_and_its_commands_counted(name, data_dir, tmp_path):
    command = next(c for c in COMMANDS if parsed(c)[0] == name).replace("$D", str(data_dir))
    less = {
        "perturb_text": "dataset.documents=[finance/AMAZON_2017_10K]",
        "format_counts": "dataset.domains=[manual]",
    }
    printed = give(command, tmp_path, less[name], "levels=[severe]")
    if name == "perturb_text":
        path = tmp_path / "noisy/formatting_noise_severe/finance/AMAZON_2017_10K.json"
        assert "\\textbf{" in path.read_text()
        assert (tmp_path / "noisy" / "before_after.html").exists()
    else:
        assert "paper, table S2" in printed


@pytest.fixture
def my_pdfs(tmp_path):
    (tmp_path / "my_pdfs").mkdir()
    page = typst.compile(b"Sales: 12 euros.", format="pdf")
    (tmp_path / "my_pdfs" / "a.pdf").write_bytes(page)
    return tmp_path


def test_pages_of_a_folder_are_distorted(my_pdfs):
    give(next(c for c in COMMANDS if parsed(c)[0] == "perturb_images"), my_pdfs)
    assert (my_pdfs / "distorted" / "semantic_moderate" / "a" / "page_0001.png").exists()
    assert (my_pdfs / "distorted" / "contact_sheet.png").exists()


def test_pages_of_a_folder_are_read(my_pdfs):
    if not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    commands = [c for c in COMMANDS if parsed(c)[0] == "read"]
    give(next(c for c in commands if "--auto" not in c), my_pdfs)
    assert "12 euros" in (my_pdfs / "my_kb" / "documents" / "a.json").read_text()
    for command in (c for c in commands if "--auto" in c):
        give(command, my_pdfs)
    assert "12 euros" in (my_pdfs / "kb" / "documents" / "a.json").read_text()
    assert "12 euros" in (my_pdfs / "kb" / "pages.jsonl").read_text()


def test_text_layers_of_a_folder_are_checked(my_pdfs):
    printed = give(next(c for c in COMMANDS if parsed(c)[0] == "dataset_layers"), my_pdfs)
    assert "a.pdf: 1 of 1 page usable" in printed
    assert {path.name for path in (my_pdfs / "runs" / "layers").glob("[!.]*")} == {
        "doubtful.html",
        "layers.csv",
    }


@pytest.mark.slow
def test_questions_are_made_of_a_folder(my_pdfs):
    said = "The mill was sold by Ada Crane to the Osk Museum for 12,500 euros in March 2019."
    (my_pdfs / "my_pdfs" / "b.pdf").write_bytes(typst.compile(said.encode(), format="pdf"))
    for name in ("kb_tesseract", "kb_rapidocr"):
        write_kb(my_pdfs / name, {"documents/b": [said]})
    for command in (one for one in COMMANDS if parsed(one)[0] == "questions_make"):
        assert "questions accepted" in give(command, my_pdfs)
        assert "Osk" in (my_pdfs / "my_exam" / "questions.csv").read_text("utf-8")


@pytest.mark.slow
def test_made_questions_are_held_against_given_ones(data_dir, tmp_path):
    command = next(c for c in COMMANDS if parsed(c)[0] == "dev_validity").replace(
        "$D", str(data_dir)
    )
    less = ["dataset.domains=[manual]", "dataset.limit=30", "noise=[]"]
    assert "tau_b" in give(command, tmp_path, *less)


@pytest.mark.slow
def test_signals_are_measured_fitted_and_checked(documents_folder):
    if not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    measure, *others = (one for one in COMMANDS if "runs/signals" in one)
    measure = measure.replace("n-pages 60", "n-pages 6").replace("--budget 60", "--budget 6")
    less = ["engines=[tesseract]", "dpi=75", "seeds=0", "--no-instability"]
    assert "edit distance" in give(measure, documents_folder, *less)
    for command in others:
        assert give(command, documents_folder).strip()
    assert (documents_folder / "model.json").is_file()
    assert (documents_folder / "runs" / "check" / "checks.csv").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [one for one in COMMANDS if parsed(one)[0] in ("recommend", "quality_estimate")],
    ids=lambda command: command[4:],
)
def test_commands_for_pages_of_your_own_run(command, my_pdfs):
    if not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    (my_pdfs / "labelled" / "documents" / "a").mkdir(parents=True)
    (my_pdfs / "labelled" / "documents" / "a" / "page_0001.md").write_text("Sales: 12 euros.")
    assert give(command, my_pdfs, "--dpi", "75", "--no-instability", "--workers", "1").strip()


@pytest.mark.slow
def test_inventions_on_pages_of_your_own_are_measured(my_pdfs):
    if not shutil.which("tesseract"):
        pytest.skip("tesseract is not installed")
    command = next(one for one in COMMANDS if parsed(one)[0] == "inventions")
    less = ("--dpi", "75", "--doses", "0.5", "--textless", "1", "--workers", "1")
    assert "Pages without text" in give(command, my_pdfs, *less)
    assert (my_pdfs / "runs" / "inventions" / "inventions.csv").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [one for one in COMMANDS if parsed(one)[0] in ON_PUBLISHED],
    ids=lambda command: command[4:40],
)
def test_commands_on_published_data_run(command, data_dir, tmp_path):
    name = parsed(command)[0]
    if name == "dataset_typeset":
        pytest.importorskip("pypandoc", reason="the extra typeset is not installed")
    command = command.replace("$D", str(data_dir))
    assert give(command, tmp_path, *ON_PUBLISHED[name]).strip()


def test_every_command_of_a_page_is_run():
    elsewhere = {
        *("perturb_text", "format_counts", "perturb_images", "read", "dataset_layers"),
        *("questions_make", "dev_validity", "recommend", "quality_estimate", *ON_PUBLISHED),
        "inventions",
    }
    remaining = [one for one in COMMANDS if one not in (*STUDIES, *ON_THE_SAMPLE)]
    remaining = [
        one for one in remaining if parsed(one)[0] not in elsewhere and "runs/signals" not in one
    ]
    assert [parsed(one)[0] for one in remaining] == ["dataset_make_sample"]  # with fewer pages
