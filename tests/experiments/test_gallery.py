"""The picture of all distortions."""

import numpy as np
from PIL import Image

from experiments.perturb_gallery import main
from tests.builders import CliRunner, write_pdf


def gallery(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def page(tmp_path):
    path = tmp_path / "page.png"
    pixels = np.full((200, 160), 250, np.uint8)
    pixels[20:180:12, 16:144] = 10
    Image.fromarray(pixels).save(path)
    return path


def test_a_row_for_each_distortion_and_a_column_for_each_strength(tmp_path):
    out = tmp_path / "gallery.png"
    result = gallery("--page", page(tmp_path), "--noise", "rotation", "--noise", "psf_blur",
                     "--width", 100, "--whole", "--out", out)  # fmt: skip
    assert result.exit_code == 0, result.output
    with Image.open(out) as sheet:
        assert sheet.width == 3 * 120 + 20
        assert sheet.height == 2 * (125 + 26 + 20) + 20
        assert len(np.unique(np.array(sheet.crop((20, 46, 120, 171))))) > 2


def test_distortions_are_of_the_resolution_that_an_image_names(tmp_path):
    written = []
    for named, asked in ((300, 150), (None, 300), (None, 150)):
        with Image.open(page(tmp_path)) as image:
            image.save(tmp_path / "page.png", **({"dpi": (named, named)} if named else {}))
        result = gallery("--page", tmp_path / "page.png", "--dpi", asked, "--noise", "psf_blur",
                         "--whole", "--out", tmp_path / "gallery.png")  # fmt: skip
        assert result.exit_code == 0, result.output
        written.append((tmp_path / "gallery.png").read_bytes())
    assert written[0] == written[1] != written[2]


def test_the_first_page_of_a_pdf_is_shown(tmp_path):
    write_pdf(tmp_path / "two.pdf", 2)
    out = tmp_path / "gallery.png"
    result = gallery("--page", tmp_path / "two.pdf", "--noise", "rotation", "--out", out)
    assert result.exit_code == 0, result.output
    assert "3 pictures" in result.output


def test_a_picture_of_no_known_kind_and_a_noise_on_text_are_errors(tmp_path):
    result = gallery("--page", page(tmp_path), "--out", tmp_path / "gallery.xyz")
    assert result.exit_code == 2
    assert "gallery.xyz" in result.output
