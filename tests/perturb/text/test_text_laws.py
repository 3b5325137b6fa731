"""The laws that every registered text perturbation keeps, whoever wrote it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohr import registry
from ohr.plugins import TextPerturbation
from tests.examples import examples
from tests.patience import ends
from tests.perturb.text.generated import ANY

NAMES = [
    name
    for name in registry.known("perturbation")
    if issubclass(registry.plugin_class("perturbation", name), TextPerturbation)
]
RULES = {
    "text_style", "titles", "line_breaks", "formula_conversion", "formula_spacing",
    "equivalent_symbols", "table_lines", "table_cells",
}  # fmt: skip
every_rule = pytest.mark.parametrize("name", NAMES)
quick = examples(60)

intensities = st.floats(0, 1)
seeds = st.integers(0, 2**32)

PAGE = (
    "# Report\n\nRevenue grew by 12 percent in **the last year**. See Note 5. Costs\nfell, and "
    "$x_{1} \\leq \\alpha + 2$ holds.\n\nShort title.\n\n$$\n\\mathbf{a} + b = c\n$$\n\n"
    "\\begin{tabular}{|c|c|}\n  Year & Net income \\\\\n  \\hline\n  2017 & $\\$ 39$ \\\\\n"
    "\\end{tabular}\n"
)


def make(name):
    return registry.create("perturbation", name)


def run(name, page, intensity, seed=0):
    return make(name).apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def edits_of(applied):
    return Counter(tuple(edit) for edit in applied.record["edits"])


def test_the_rules_are_registered():
    assert {"formatting"} | RULES <= set(NAMES)


def test_levels_are_the_papers():
    levels = make("formatting").levels
    assert {name: level.intensity for name, level in levels.items()} == {
        "mild": 0.1,
        "moderate": 0.3,
        "severe": 0.6,
    }
    assert make("titles").levels["severe"].intensity == 1.0


@every_rule
@quick
@given(page=ANY, seed=seeds)
def test_intensity_zero_changes_nothing(name, page, seed):
    applied = run(name, page, 0.0, seed)
    assert applied.value == page
    assert applied.record["edits"] == []


@every_rule
def test_full_intensity_changes_a_page(name):
    assert run(name, PAGE, 1.0).value != PAGE


@every_rule
@quick
@given(page=ANY, low=intensities, high=intensities, seed=seeds)
def test_edits_nest_in_the_intensity(name, page, low, high, seed):
    low, high = sorted((low, high))
    fewer, more = run(name, page, low, seed), run(name, page, high, seed)
    assert edits_of(fewer) <= edits_of(more)


def test_edits_of_different_rules_nest_on_one_page():
    kinds = [edits_of(run("formatting", PAGE * 5, i, 3)) for i in (0.1, 0.3, 0.6, 1.0)]
    assert all(a <= b for a, b in pairwise(kinds))
    assert len(kinds[0]) < len(kinds[1]) < len(kinds[2]) < len(kinds[3])


@every_rule
@quick
@given(page=ANY, intensity=intensities, seed=seeds)
def test_what_is_drawn_does_not_depend_on_the_intensity(name, page, intensity, seed):
    states = []
    for level in (0.0, intensity, 1.0):
        rng = np.random.default_rng(seed)
        make(name).apply(page, intensity=level, rng=rng)
        states.append(rng.bit_generator.state)
    assert states[0] == states[1] == states[2]


@every_rule
@quick
@given(page=ANY, intensity=intensities, seed=seeds)
def test_a_record_replays_and_undoes_to_the_byte_after_json(name, page, intensity, seed):
    applied = run(name, page, intensity, seed)
    record = json.loads(json.dumps(applied.record, allow_nan=False))
    assert make(name).replay(page, record) == applied.value
    assert make(name).undo(applied.value, record) == page


@every_rule
@quick
@given(page=ANY, intensity=intensities, seed=seeds)
def test_the_result_depends_on_the_generator_alone(name, page, intensity, seed):
    first = run(name, page, intensity, seed)
    np.random.seed(seed % 1000)
    state = np.random.get_state()[1].copy()
    operator = make(name)
    operator.apply(PAGE, intensity=0.5, rng=np.random.default_rng(1))
    again = operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))
    assert (again.value, again.record) == (first.value, first.record)
    assert np.array_equal(np.random.get_state()[1], state)


REPLAY = """
import json, sys
from ohr import registry

given = json.load(sys.stdin)
replayed = {
    name: registry.create("perturbation", name).replay(given["page"], record)
    for name, record in given["records"].items()
}
json.dump(replayed, sys.stdout)
"""


@pytest.fixture(scope="module")
def replayed():
    """What another process made of one record of each rule."""
    records = {name: run(name, PAGE, 0.8, 11).record for name in NAMES}
    given = json.dumps({"page": PAGE, "records": records})
    command = [sys.executable, "-c", REPLAY]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
@every_rule
def test_a_record_replays_in_another_process(name, replayed):
    assert replayed[name] == run(name, PAGE, 0.8, 11).value


@every_rule
@pytest.mark.parametrize("intensity", [-0.01, 1.01, math.nan, math.inf, "0.5", None])
def test_an_intensity_outside_the_scale_is_refused(name, intensity):
    with pytest.raises(ValueError, match="intensity"):
        make(name).apply(PAGE, intensity=intensity, rng=np.random.default_rng(0))


@every_rule
@pytest.mark.parametrize("page", [None, b"bytes", 5, ["text"]])
def test_what_is_no_text_is_refused(name, page):
    record = run(name, PAGE, 0.5).record
    for call in (
        lambda: make(name).apply(page, intensity=0.5, rng=np.random.default_rng(0)),
        lambda: make(name).replay(page, record),
        lambda: make(name).undo(page, record),
    ):
        with pytest.raises(ValueError, match="text"):
            call()


@every_rule
def test_a_record_for_another_text_is_refused(name):
    operator, applied = make(name), run(name, PAGE, 1.0)
    for other in ("", PAGE + " ", PAGE.replace("Costs", "Taxes"), applied.value):
        with pytest.raises(ValueError, match="record"):
            operator.replay(other, applied.record)
    for other in ("", PAGE, applied.value + " ", applied.value[:-2] + "x\n"):
        with pytest.raises(ValueError, match="record"):
            operator.undo(other, applied.record)


@every_rule
def test_a_hostile_record_is_refused(name):
    operator, applied = make(name), run(name, PAGE, 1.0)
    good = applied.record
    edit = good["edits"][0]
    hostile = [
        {},
        None,
        [],
        "__import__('os')",
        good | {"name": "other"},
        good | {"version": "999"},
        good | {"version": 1},
        good | {"intensity": 2.0},
        good | {"intensity": math.nan},
        good | {"text": "0" * 32},
        good | {"text": None},
        good | {"extra": "field"},
        *({k: v for k, v in good.items() if k != key} for key in good),
        *(
            good | {"edits": edits}
            for edits in (
                None,
                "x",
                {},
                [None],
                [[]],
                [[0, "a"]],
                [[0, "a", "b", "c"]],
                [[-1, "", "x"]],
                [["0", "", "x"]],
                [[0.5, "", "x"]],
                [[True, "", "x"]],
                [[10**30, "", "x"]],
                [[len(PAGE) + 1, "", "x"]],
                [[0, "not there", "x"]],
                [[0, PAGE, "x"], [0, "", "y"]],
                [*good["edits"], edit],
                [[edit[0], 5, edit[2]]],
            )
        ),
    ]
    for record in hostile:
        with pytest.raises(ValueError, match="record"):
            operator.replay(PAGE, record)
        with pytest.raises(ValueError, match="record"):
            operator.undo(applied.value, record)


def test_a_forged_edit_cannot_be_undone():
    operator, applied = make("formatting"), run("formatting", PAGE, 1.0)
    forged = applied.record | {"edits": [[0, "", "x"]]}
    with pytest.raises(ValueError, match="record"):
        operator.undo("x" + PAGE[:-1], forged)


HOSTILE = [
    "a ", "$", "$ a ", "\\begin{", "{", "}", "<td", "<a ", "|", "\\(", "*_", "![", "$a", "\\", "`",
    "` `` ", "\\[", "[a", "**a ", "_a ", "\n- ", "\n# a", "\\textbf{", "\\begin{tabular}{c}", "& ",
    "\\begin{equation}", "www.", "https://", "a.", "A. ", "\n```", "<code>", "<!--", "$$", " \t",
    "\\frac", "\n\n", "-=", "\n---", "|-", "a@", "\\left(", "x_", "\n    a", "\\begin{a}\\end{b}",
    "<table><tr><td>", "$\\$", "Ab. ", "% ", "$\\begin{array}{c}", "\\multicolumn{2}{c}{",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_comes_to_an_end(piece):
    text = piece * (200_000 // len(piece))
    with ends(cpu_s=30):
        applied = run("formatting", text, 0.5)
        assert make("formatting").undo(applied.value, applied.record) == text
