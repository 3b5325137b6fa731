"""What an extra installs is an error that names the extra, where it is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest

import ohr
from ohr.markup import writing_systems
from ohr.metrics import reference
from ohr.report.rendered import math
from ohr.sample import origin
from ohr.typeset import formulas


def test_the_sample_needs_typst(tmp_path, monkeypatch):
    def version(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(origin, "version", version)
    origin.generator.cache_clear()
    with pytest.raises(ohr.MissingDependencyError, match=r"pip install 'ohr\[sample\]'"):
        ohr.dataset("sample", cache=tmp_path)
    monkeypatch.undo()
    assert origin.generator()["typst"]


def test_typesetting_needs_pandoc(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    formulas.pandoc.cache_clear()
    with pytest.raises(ohr.MissingDependencyError, match=r"pip install 'ohr\[typeset\]'"):
        formulas.convert([r"\frac{a}{b}"])
    formulas.pandoc.cache_clear()


@pytest.mark.slow
def test_chinese_text_needs_jieba(monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    writing_systems.jieba.cache_clear()
    with pytest.raises(ohr.MissingDependencyError, match=r"pip install 'ohr\[chinese\]'"):
        reference.f1("中文文本", "中文")
    assert reference.f1("plain text", "plain text") == 1
    monkeypatch.undo()
    assert reference.f1("中文", "中文") == 1


@pytest.mark.slow
def test_jieba_is_quiet_when_it_is_compiled(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from ohr.markup.writing_systems import jieba; jieba().lcut('中文')",
        ],
        env=os.environ
        | {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


def test_the_formulas_of_a_report_need_latex2mathml(monkeypatch):
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    with pytest.raises(ohr.MissingDependencyError, match=r"pip install 'ohr\[report\]'"):
        math("x^2")
    monkeypatch.undo()
    assert math("x^2")[0] == "math"
