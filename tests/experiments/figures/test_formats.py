from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from ohr.figures import saved_figure
from ohr.figures.style import WIDTH, describe, drawn_for, figure, only, save


def drawn(folder: Path, *, pdf: bool = False) -> dict[str, bytes]:
    with figure(3, 2) as fig:
        axes = fig.subplots(1, 2)
        axes[0].plot([0.123, 0.7], [1, 3000], label="a line")
        axes[0].set_aspect(0.0001)
        axes[1].set_title("a title\nof two lines")
        fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center")
        return {path.name: path.read_bytes() for path in save(fig, folder, "x", pdf=pdf)}


def test_a_figure_has_the_bytes_that_matplotlib_s_own_has(tmp_path, monkeypatch):
    ours = drawn(tmp_path / "ours", pdf=True)
    monkeypatch.setattr(saved_figure, "SavedFigure", Figure)
    assert ours == drawn(tmp_path / "theirs", pdf=True)
    assert sorted(ours) == ["x.pdf", "x.png", "x.svg"]


def test_a_figure_is_laid_out_for_each_format_and_drawn_once_for_it(tmp_path, monkeypatch):
    drawings = []
    draw = Figure.draw
    monkeypatch.setattr(Figure, "draw", lambda *given: drawings.append(given) or draw(*given))
    drawn(tmp_path)
    assert len(drawings) == len(["x.png", "x.svg"])


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
