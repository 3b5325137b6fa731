"""Routes from the command line: written by ``quality``, followed by ``read``."""

import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments import read as ocr
from ohr import registry
from ohr.collection import Dataset
from ohr.datasets.folder import read_layers
from ohr.ocr.routes import COLUMNS
from ohr.types import Outcome, Status
from tests.builders import write_page, write_pdf
from tests.experiments.own_pages import SURE, give, run_quality
from tests.fakes import SureEngine

OTHER = "tests.experiments.test_routes.UnsureEngine"
TEXT = "This line of plain words stands on the page and in its layer. "


class UnsureEngine(SureEngine):
    """Reads a little more than the other, and slower."""

    name = "unsure"
    pause_s = 0.05

    def read(self, image: np.ndarray, page_no: int) -> Outcome[str]:
        return Outcome.of_text(f"{super().read(image, page_no).value} More.")


@pytest.fixture
def mixed_folder(tmp_path):
    """A PDF without text, a PDF with a text layer, and an image."""
    folder = tmp_path / "in"
    write_pdf(folder / "scan.pdf", 2)
    lines = "".join(f"BT /F 5 Tf 20 {220 - 20 * n} Td ({TEXT}) Tj ET\n" for n in range(9))
    write_page(folder / "typed.pdf", lines)
    image = np.full((120, 90), 250, np.uint8)
    image[50:60, 20:70] = 10
    Image.fromarray(image).save(folder / "photo.png")
    return folder


def read(folder, routes, *more):
    root = folder.parent
    options = ("--routes", routes, "--out", root / "kb", "--cache", root / "cache", "--workers", 1)
    return give(ocr, folder, *options, "--trust-code", *more)


def write(folder, rows, header="document,page,route"):
    path = folder.parent / "routes.csv"
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")
    return path


def texts(folder, doc_id):
    return json.loads((folder.parent / "kb" / f"{doc_id}.json").read_text("utf-8"))


def manifest(folder):
    return json.loads((folder.parent / "kb" / "manifest.json").read_text("utf-8"))


@pytest.mark.slow
def test_quality_writes_routes_that_read_follows(mixed_folder, log):
    options = ("--engines", f"{SURE},{OTHER}", "--no-instability", "--workers", 1)
    done = run_quality(mixed_folder, *options)
    assert done.exit_code == 0, done.output
    out = mixed_folder.parent / "out"
    routes = pd.read_csv(out / "routes.csv")
    assert list(routes) == list(COLUMNS)
    assert len(routes) == 4
    assert routes.set_index("document")["route"]["documents/typed"] == "layer"
    assert (out / "routes_curve.csv").is_file()
    assert (out / "routes_curve.png").is_file()
    # Three pages cannot show that routes do better than one engine.
    assert f"one engine for all pages: {SURE}" in done.output
    assert f"routes of 4 pages: 3 {SURE}, 1 layer" in done.output
    pages_read = len(log.read_text().splitlines())

    done = read(mixed_folder, out / "routes.csv")
    assert done.exit_code == 0, done.output
    assert len(log.read_text().splitlines()) == pages_read  # all are in the cache
    assert TEXT.strip() in texts(mixed_folder, "documents/typed")[0]["text"]
    routed = manifest(mixed_folder)["routes"]
    assert sum(routed.values()) == 4
    assert routed["layer"] == 1


@pytest.mark.slow
def test_one_engine_has_no_routes(mixed_folder):
    done = run_quality(mixed_folder, "--engines", SURE, "--no-instability")
    assert done.exit_code == 0, done.output
    assert not (mixed_folder.parent / "out" / "routes.csv").exists()


@pytest.mark.slow
def test_each_page_takes_its_route_and_the_others_are_counted(mixed_folder, log):
    rows = [f"documents/scan,1,{SURE}", "documents/scan,2,person", "documents/typed,1,layer"]
    path = write(mixed_folder, rows)
    done = read(mixed_folder, path)
    assert done.exit_code == 0, done.output
    assert [entry["page_idx"] for entry in texts(mixed_folder, "documents/scan")] == [0]
    facts = manifest(mixed_folder)
    assert facts["routes"] == {"layer": 1, SURE: 1, "person": 1}
    assert facts["for_person"] == ["documents/scan page 2"]
    assert facts["without_route"] == ["documents/photo page 1"]
    assert "1 pages without a route, such as documents/photo page 1" in done.stdout
    assert "for a person, left out: documents/scan page 2" in done.stderr
    table = pd.read_csv(mixed_folder.parent / "kb" / "pages.csv", keep_default_na=False)
    doubts = dict(
        zip(zip(table["document"], table["page"], strict=True), table["doubt"], strict=True)
    )
    assert doubts == {
        ("documents/photo", 1): "left out: without a route",
        ("documents/scan", 1): "not assessed",
        ("documents/scan", 2): "left out: for a person",
        ("documents/typed", 1): "",
    }
    before = (mixed_folder.parent / "kb" / "documents" / "scan.json").read_bytes()
    assert read(mixed_folder, path).exit_code == 0
    assert (mixed_folder.parent / "kb" / "documents" / "scan.json").read_bytes() == before
    assert len(log.read_text().splitlines()) == 1

    dataset = Dataset(read_layers(mixed_folder).documents.values(), [], kind="folder")
    kb = registry.create("engine", f"precomputed:{mixed_folder.parent / 'kb'}").knowledge_base(
        dataset
    )
    assert [kb.pages[ref].status for ref in sorted(kb.pages)] == [
        Status.OK,
        Status.ERROR,
        Status.OK,
    ]


def test_a_dry_run_reads_nothing(mixed_folder, log):
    path = write(mixed_folder, [f"documents/scan,1,{SURE}", "documents/scan,2,person"])
    done = read(mixed_folder, path, "--dry-run")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        f"1 pages by {SURE}: 0 in the cache, 1 to read",
        "1 pages for a person: left out",
        "2 pages without a route: left out",
        "dry run: nothing was read",
    ]
    assert not log.read_text()


def test_engines_beside_the_routes_keep_their_parameters(mixed_folder):
    path = write(mixed_folder, ["documents/scan,1,mine", "documents/scan,2,mine"])
    spec = {"name": "tests.fakes.ParamsEngine", "params": {"word": "other"}, "label": "mine"}
    path.with_suffix(".json").write_text(json.dumps({"engines": {"mine": spec}}))
    assert read(mixed_folder, path).exit_code == 0
    engines = manifest(mixed_folder)["engine"]["engines"]
    assert engines["mine"]["params"]["word"] == "other"


def test_a_layer_that_cannot_be_used_is_a_failure(mixed_folder):
    done = read(
        mixed_folder, write(mixed_folder, ["documents/scan,1,layer", f"documents/scan,2,{SURE}"])
    )
    assert done.exit_code == 1
    assert "failed: documents/scan page 1: no usable text layer" in done.stderr
    assert [entry["page_idx"] for entry in texts(mixed_folder, "documents/scan")] == [1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["documents/gone,1,person"], "page 1 of documents/gone is not in these files"),
        (["documents/scan,3,layer", "x/y,1,layer"], "page 3 of documents/scan and 1 more"),
        (["documents/scan,0,layer"], "line 2: page '0' is no number from 1 on"),
        (["documents/scan,1,"], "line 2: no route"),
        (["documents/scan,1,layer", "documents/scan,1,person"], "has two routes, layer and person"),
        (["documents/scan,1,tesserract"], "did you mean"),
        (["documents/scan,1,gt"], "engine 'gt' reads no pages"),
        (["documents/photo,1,layer"], "photo.png is an image without a text layer"),
        ([], "no row"),
    ],
)
def test_a_wrong_route_is_one_line(mixed_folder, rows, message):
    done = read(mixed_folder, write(mixed_folder, rows))
    assert done.exit_code != 0
    assert message in " ".join(done.stderr.split()), done.output
    assert not (mixed_folder.parent / "kb" / "documents").exists()


def test_routes_or_an_engine_but_not_both(mixed_folder):
    path = write(mixed_folder, ["documents/scan,1,layer"])
    for more in (["--engines", SURE], ["--shard", "1/2"]):
        done = read(mixed_folder, path, *more)
        assert done.exit_code == 2 or "error" in done.stderr
    done = give(ocr, mixed_folder, "--out", mixed_folder.parent / "kb")
    assert "name one engine with --engines, a file of routes with --routes, or --auto" in (
        done.stderr
    )
    done = read(mixed_folder, write(mixed_folder, [], header="document,page"))
    assert "no column route" in done.stderr
