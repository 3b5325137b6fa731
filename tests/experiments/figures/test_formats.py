from __future__ import annotations

from pathlib import Path

from ohr.figures.style import figure, only, save


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
