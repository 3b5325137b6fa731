from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

from ohr.figures.style import WIDTH, describe, drawn_for, figure, only, save


def drawn(folder: Path) -> dict[str, bytes]:
    with figure(3, 2) as fig:
        axes = fig.subplots(1, 2)
        axes[0].plot([0.123, 0.7], [1, 3000], label="a line")
        axes[1].set_title("a title\nof two lines")
        return {path.name: path.read_bytes() for path in save(fig, folder, "x")}


def test_a_figure_that_is_saved_as_svg_alone_has_the_bytes_that_it_has_beside_its_png(tmp_path):
    both = drawn(tmp_path / "both")
    with only("svg"):
        alone = drawn(tmp_path / "alone")
    assert sorted(both) == ["x.png", "x.svg"]
    assert alone == {"x.svg": both["x.svg"]}
    assert sorted(drawn(tmp_path / "after")) == ["x.png", "x.svg"]


def test_a_figure_for_slides_is_larger_and_no_figure_is_wider_than_two_columns():
    with figure(9, 3) as paper:
        assert tuple(paper.get_size_inches()) == (WIDTH, 3)
        assert mpl.rcParams["font.size"] == 8
    with drawn_for("slides"), figure(9, 3) as slides:
        assert slides.get_size_inches()[0] > 1.5 * WIDTH
        assert mpl.rcParams["font.size"] > 12


def test_a_caption_is_one_line_and_the_rest_is_beside_the_figure():
    parts = ["n = 40 questions", "bars: 95 % intervals", "x" * 300]
    with figure(3.4, 2) as fig:
        assert describe(fig, parts) == [f"{'; '.join(parts)}."]
        assert fig.get_suptitle() == "n = 40 questions; bars: 95 % intervals"
    with figure(3.4, 2) as fig:
        assert describe(fig, ["y" * 300])
        assert fig.get_suptitle() == ""
        assert describe(fig, []) == []
