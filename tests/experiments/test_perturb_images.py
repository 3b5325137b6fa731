"""Distorting the pages of one's own PDFs and images from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from experiments.perturb_images import main
from ohr import registry
from ohr.datasets.folder import Folder
from ohr.documents.images import load_image
from ohr.documents.pdf import render
from ohr.ocr.sources import find_pages
from ohr.plugins.randomness import generator_for
from ohr.types import PageRef
from tests.builders import CliRunner, write_pdf


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    write_pdf(source / "report.pdf", 2)
    page = np.full((200, 150), 250, np.uint8)
    page[50:60, 20:120] = 10
    Image.fromarray(page).save(source / "sub" / "scan.png", dpi=(200, 200))
    Image.fromarray(np.dstack([page] * 3)).save(source / "sub" / "scan.jpg")
    return source


def perturb(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def records(out: Path):
    return [json.loads(line) for line in (out / "records.jsonl").read_text("utf-8").splitlines()]


def test_every_page_gets_every_noise_and_a_record_that_replays(folder, tmp_path):
    out = tmp_path / "out"
    result = perturb(folder, "--out", out, "--noise", "rotation", "--noise", "salt_and_pepper",
                     "--level", "mild", "--intensity", 0.7, "--workers", 1)  # fmt: skip
    assert result.exit_code == 0, result.output
    lines = records(out)
    assert [line["file"] for line in lines] == [
        f"{noise}/{page}"
        for page in ("report/page_0001.png", "report/page_0002.png",
                     "sub/scan.jpg.png", "sub/scan.png.png")
        for noise in ("rotation_mild", "rotation_0.7",
                      "salt_and_pepper_mild", "salt_and_pepper_0.7")
    ]  # fmt: skip
    for line in lines:
        path = folder / line["source"]
        pdf = path.suffix == ".pdf"
        page = render(path, line["page_no"], 150) if pdf else load_image(path)
        operator = registry.create("perturbation", line["operator"]["name"])
        with Image.open(out / line["file"]) as written:
            assert np.array_equal(np.array(written), operator.replay(page, line["record"]))
            expected = 200 if path.name == "scan.png" else 150
            assert round(float(written.info["dpi"][0])) == line["dpi"] == expected
    assert Image.open(out / "contact_sheet.png").width > 1000


@pytest.mark.slow
def test_the_same_command_writes_the_same_bytes_whatever_the_workers(folder, tmp_path):
    written = []
    for name, workers in (("a", 1), ("b", 2)):
        out = tmp_path / name
        perturb(folder, "--out", out, "--noise", "psf_blur", "--format", "webp",
                "--workers", workers)  # fmt: skip
        (out / ".lock").unlink()
        files = sorted(path for path in out.rglob("*") if path.is_file())
        written.append({path.relative_to(out): path.read_bytes() for path in files})
    assert len(written[0]) == 3 * 4 + 2
    assert written[0] == written[1]


def test_the_pixels_are_those_of_a_study_of_the_folder(folder, tmp_path):
    questions = tmp_path / "questions.csv"
    questions.write_text("question,answer,document,page\nWhich?,first,report,1\n")
    params = Folder.Params.model_validate({"path": folder, "questions": questions})
    (doc_id,) = Folder(params).load().documents
    out = tmp_path / "out"
    perturb(folder / "report.pdf", "--out", out, "--noise", "rotation", "--level", "severe")
    operator = registry.create("perturbation", "rotation")
    page = render(folder / "report.pdf", 1, 150)
    rng = generator_for(0, "rotation", PageRef(doc_id, 1))
    expected = operator.apply(page, intensity=1.0, rng=rng).value
    assert np.array_equal(load_image(out / "rotation_severe/report/page_0002.png"), expected)


def test_a_pdf_beside_an_image_of_its_name_keeps_the_name_that_a_folder_dataset_knows(folder):
    write_pdf(folder / "sub" / "scan.pdf", 1)
    write_pdf(folder / "sub" / "scan.PDF", 1)
    names = {source.file_name: source.name for source in find_pages([folder], 150)}
    assert names == {
        "report.pdf": "report",
        "sub/scan.PDF": "sub/scan",  # a folder dataset reads the first of the two
        "sub/scan.pdf": "sub/scan.pdf",
        "sub/scan.jpg": "sub/scan.jpg",
        "sub/scan.png": "sub/scan.png",
    }
    (folder / "q.csv").write_text("question,answer,document,page\nWhat?,x,scan,1\n")
    given = {"path": folder, "questions": folder / "q.csv"}
    documents = registry.create("dataset", {"name": "folder", "params": given}).load().documents
    assert documents["sub/scan"].source == folder / "sub" / "scan.PDF"


def test_a_bad_file_is_reported_and_the_others_are_written(folder, tmp_path):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "empty.png").touch()
    Image.new("L", (33_000, 40)).save(folder / "wide.png")
    out = tmp_path / "out"
    result = perturb(folder, "--out", out, "--noise", "rotation", "--level", "mild")
    assert result.exit_code == 1
    assert len(records(out)) == 4
    for said in ("broken.pdf page 1", "empty.png", "33000 x 40", "3 of 7 pages"):
        assert said in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--noise", "gamma_rays"], "unknown perturbation 'gamma_rays'"),
        (["--level", "awful"], "unknown level 'awful'"),
        (["--noise", "{name: ["], "the value is not YAML"),
        (["--noise", "{name: rotation, params: {degrees: -1}}"], "degrees"),
    ],
)
def test_a_wrong_option_is_explained(folder, tmp_path, arguments, message):
    given = arguments if "--noise" in arguments else [*arguments, "--noise", "rotation"]
    result = perturb(folder, "--out", tmp_path / "out", *given)
    assert result.exit_code == 2
    assert message in result.output
    assert not (tmp_path / "out").exists()


def test_a_missing_or_empty_input_is_an_error(tmp_path):
    (tmp_path / "empty").mkdir()
    for given, message in ((tmp_path / "no", "no file"), (tmp_path / "empty", "no PDF or image")):
        result = perturb(given, "--out", tmp_path / "out", "--noise", "rotation")
        assert result.exit_code == 2
        assert message in result.output


def test_no_name_of_a_file_leads_out_of_the_folder_of_a_noise(tmp_path):
    names = ["...pdf", "..pdf", "a\nb.pdf"]
    for name in names:
        write_pdf(tmp_path / "in" / "new.pdf", 1, size=(80, 80)).rename(tmp_path / "in" / name)
    out = tmp_path / "out"
    given = [tmp_path / "in" / name for name in names]  # in a folder, two of them are hidden
    result = perturb(*given, "--out", out, "--level", "mild", "--level", "severe")
    assert result.exit_code == 0, result.output
    files = [line["file"] for line in records(out)]
    assert len(set(files)) == 6
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("page_*.png")) == sorted(files)
    assert all(".." not in Path(file).parts for file in files)


def test_a_command_given_again_reads_its_records_whatever_the_names(tmp_path):
    write_pdf(tmp_path / "in" / "a\u2028b\x85.pdf", 1, size=(80, 80))
    for _ in range(2):
        result = perturb(tmp_path / "in", "--out", tmp_path / "out", "--noise", "rotation")
        assert result.exit_code == 0, result.output


def test_two_files_of_one_name_are_refused(tmp_path):
    for name in ("one", "two"):
        write_pdf(tmp_path / name / "report.pdf", 1, size=(80, 80))
    files = [tmp_path / name / "report.pdf" for name in ("one", "two")]
    result = perturb(*files, "--out", tmp_path / "out", "--noise", "rotation")
    assert result.exit_code == 2
    assert "would both be rotation_mild/report/page_0001.png" in result.output


def test_images_that_were_made_otherwise_are_not_mixed_in(folder, tmp_path):
    out = tmp_path / "out"
    common = (folder / "report.pdf", "--out", out, "--noise", "rotation")
    assert perturb(*common, "--level", "mild").exit_code == 0
    before = records(out)
    result = perturb(*common, "--level", "severe")
    assert result.exit_code == 2
    assert "holds 2 images that this command does not write, such as rotation_mild" in result.output
    assert records(out) == before
    assert perturb(*common, "--level", "mild", "--level", "severe").exit_code == 0
    assert len(records(out)) == 4
