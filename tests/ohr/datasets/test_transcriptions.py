from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from ohr import registry
from ohr.collection import Dataset
from ohr.errors import DatasetError
from ohr.types import Line, PageRef
from tests.builders import qa, write_questions

PAGE = """<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
<Page imageFilename="{image}" imageWidth="400" imageHeight="200">
<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="0" regionRef="second"/>
<RegionRefIndexed index="1" regionRef="first"/></OrderedGroup></ReadingOrder>
<TextRegion id="first"><Coords points="0,0 1,1"/>
<TextLine><Coords points="20,100 380,102 379,120 21,119"/>
<TextEquiv><Unicode>came last</Unicode></TextEquiv></TextLine></TextRegion>
<TextRegion id="second" type="heading"><TextLine><Coords points="20,20 200,20 200,40 20,40"/>
<TextEquiv><Unicode>What</Unicode></TextEquiv></TextLine></TextRegion>
<TableRegion id="table"><TableCell row="0" col="0">
<TextLine><Coords points="20,150 90,150 90,170 20,170"/>
<TextEquiv><Unicode>cell</Unicode></TextEquiv></TextLine></TableCell></TableRegion>
</Page></PcGts>"""

ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description>
<MeasurementUnit>{unit}</MeasurementUnit>
<sourceImageInformation><fileName>{image}</fileName></sourceImageInformation></Description>
<Layout><Page WIDTH="4000" HEIGHT="2000"><PrintSpace><TextBlock ID="b">
<TextLine HPOS="200" VPOS="200" WIDTH="1800" HEIGHT="200"><String CONTENT="Two"/><SP/>
<String CONTENT="words"/></TextLine>
<TextLine HPOS="200" VPOS="500" WIDTH="1800" HEIGHT="200"><String CONTENT="below"/></TextLine>
</TextBlock></PrintSpace></Page></Layout></alto>"""


def load(kind: str, path: Path, **params: object) -> Dataset:
    return registry.create("dataset", {"name": kind, "params": {"path": path} | params}).load()


def write(root: Path, name: str, text: str, size: tuple[int, int] = (400, 200)) -> None:
    (root / "letters").mkdir(parents=True, exist_ok=True)
    Image.new("L", size, 255).save(root / "letters" / f"{name}.png")
    (root / "letters" / f"{name}.xml").write_text(text)


def test_page_xml_has_its_text_in_order_and_its_lines_with_boxes(tmp_path) -> None:
    write(tmp_path, "a", PAGE.format(image="a.png"))
    dataset = load("page_xml", tmp_path, strict=True)
    page = dataset.pages[PageRef("letters/a", 0)]
    assert page.text.startswith("# What\n\ncame last")
    assert page.lines == (
        Line("What", (20, 20, 200, 40)),
        Line("came last", (20, 100, 380, 120)),
        Line("cell", (20, 150, 90, 170)),
    )
    [question] = dataset.questions
    assert question.evidence_text == page.text


def test_alto_has_lines_in_pixels_of_the_image(tmp_path) -> None:
    write(tmp_path, "a", ALTO.format(unit="mm10", image="a.tif"), size=(800, 400))
    [page] = load("alto", tmp_path, strict=True).pages.values()
    assert page.text == "Two words\nbelow"
    assert [line.box for line in page.lines] == [(40, 40, 400, 80), (40, 100, 400, 140)]


def test_images_are_found_by_the_name_that_the_file_gives(tmp_path) -> None:
    write(tmp_path, "scan", PAGE.format(image="C:\\scans\\scan.tif"))
    (tmp_path / "page").mkdir()
    (tmp_path / "letters" / "scan.xml").rename(tmp_path / "page" / "0001.xml")
    assert list(load("page_xml", tmp_path).documents) == ["letters/scan"]


def test_a_file_without_image_and_other_xml_are_counted(tmp_path) -> None:
    write(tmp_path, "a", PAGE.format(image="a.png"))
    write(tmp_path, "b", ALTO.format(unit="pixel", image="b.png"))
    write(tmp_path, "c", "<PcGts><Page")
    write(tmp_path, "d", PAGE.format(image="d.png"))
    (tmp_path / "letters" / "d.png").unlink()
    report = load("page_xml", tmp_path).report
    assert sorted(report.problems) == ["missing_image", "unreadable_document"]
    assert report.problems["missing_image"] == ["letters/d.xml: no image d.png"]
    assert report.skipped == ["1 XML files that are no PcGts, such as letters/b.xml"]


@pytest.mark.parametrize(
    "written",
    [
        PAGE.replace('<Coords points="20,20 200,20 200,40 20,40"/>', ""),
        PAGE.replace("<TableRegion", "<TextRegion><TextEquiv><Unicode>of a region</Unicode>"
                     "</TextEquiv></TextRegion><TableRegion"),
    ],
)  # fmt: skip
def test_lines_that_lack_some_of_the_text_are_left_out_and_counted(tmp_path, written) -> None:
    write(tmp_path, "a", written.format(image="a.png"))
    dataset = load("page_xml", tmp_path)
    [page] = dataset.pages.values()
    assert page.text
    assert page.lines == ()
    assert list(dataset.report.problems) == ["incomplete_lines"]


def test_questions_of_ones_own(tmp_path) -> None:
    write(tmp_path, "a", PAGE.format(image="a.png"))
    write_questions(tmp_path / "qas.json", [qa(1, "letters/a", 0)])
    dataset = load("page_xml", tmp_path, questions=tmp_path / "qas.json")
    assert [question.qid for question in dataset.questions] == ["q1"]


def test_two_pages_in_one_alto_are_refused(tmp_path) -> None:
    text = ALTO.format(unit="pixel", image="a.png")
    write(tmp_path, "a", text.replace("</Page>", "</Page><Page/>"))
    with pytest.raises(DatasetError, match=r"letters/a\.xml"):
        load("alto", tmp_path)
