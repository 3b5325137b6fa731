from __future__ import annotations

import json

import pytest

from experiments.format_counts import main as format_counts
from experiments.noisy.before_after import ShownPage, compare, render_comparison
from experiments.noisy.texts import folder_name, worth_showing
from experiments.papers.format_counts.table import count_knowledge_bases
from experiments.perturb_text import main
from ohr import registry
from ohr.errors import ConfigError
from ohr.ocr.noise import Noise
from ohr.ocr.rewriting import text_perturbation
from ohr.plugins import Applied, TextPerturbation
from ohr.registry import PluginSpec
from ohr.study.loading import load_dataset
from ohr.types import PageRef
from tests.builders import CliRunner, load_config, qa, write_kb, write_questions

TEXTS = {
    "law/a": [
        "# One\n\nThe sum of all $x_1$ parts is <b>large & fine</b>.\n\nIt is so.",
        "\\begin{tabular}{|c|c|}\n a & b \\\\\n c & d \\\\\n\\end{tabular}",
        "",
    ],
    "manual/b": ["Press the button and wait for the sound."],
}


@pytest.fixture
def settings(tmp_path):
    write_kb(tmp_path / "kb/gt", TEXTS)
    write_questions(tmp_path / "qas.json", [qa(0, "law/a", 0), qa(1, "manual/b", 0)])
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={tmp_path / 'kb'}",
        f"dataset.questions={tmp_path / 'qas.json'}",
    ]


def invoke(app, *arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def test_knowledge_bases_are_read_back_and_undone(settings, tmp_path):
    out = tmp_path / "out"
    done = invoke(main, *settings, "levels=[mild,severe]", "seed=3", "--out", out, "--show", 2)
    assert done.exit_code == 0, done.output
    dataset = load_dataset(load_config(settings))
    manifest = json.loads((out / "manifest.json").read_text())
    folders = ["formatting_noise_mild", "formatting_noise_severe"]
    assert list(manifest["knowledge_bases"]) == folders
    operator = registry.create("perturbation", "formatting")
    for folder in folders:
        source = registry.create("engine", f"precomputed:{out / folder}")
        kb = source.knowledge_base(dataset)
        assert list(kb.pages) == list(dataset.pages)
        records = {}
        for path in (out / "records" / folder).rglob("*.jsonl"):
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                records[PageRef(entry["doc_id"], entry["page_no"])] = entry["record"]
        assert set(records) == {ref for ref, page in dataset.pages.items() if page.text}
        for ref, record in records.items():
            clean = dataset.pages[ref].text
            assert operator.undo(kb.text(ref), record) == clean
            assert operator.replay(clean, record) == kb.text(ref)
        entry = manifest["knowledge_bases"][folder]
        assert (entry["pages"], entry["rewritten"]) == (4, 3)
        assert entry["edits"] == sum(len(record["edits"]) for record in records.values())
    severe = json.loads((out / folders[1] / "law/a.json").read_text())
    assert [sorted(page) for page in severe] == [["page_idx", "text"]] * 3
    assert severe[0]["text"] != TEXTS["law/a"][0]


def test_the_same_command_writes_the_same_bytes_and_another_is_refused(settings, tmp_path):
    def files(out):
        return {p.relative_to(out): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file()}

    one, two = tmp_path / "one", tmp_path / "two"
    for out in (one, two, two):
        assert invoke(main, *settings, "--out", out).exit_code == 0
    assert files(one) == files(two)
    other = invoke(main, *settings, "seed=1", "--out", one)
    assert other.exit_code == 2
    assert "of other options" in other.output
    for strange in ("[]", '{"config": {}}', "x"):
        (one / "manifest.json").write_text(strange)
        other = invoke(main, *settings, "--out", one)
        assert other.exit_code == 2
        assert "of other options" in other.output


def test_only_the_pages_asked_for_are_rewritten(settings, tmp_path):
    one = tmp_path / "one"
    done = invoke(main, *settings, "dataset.pages=evidence", "intensities=[1]", "--out", one)
    assert done.exit_code == 0, done.output
    pages = json.loads((one / "formatting_noise_1/law/a.json").read_text())
    texts = [page["text"] for page in pages]
    assert texts[0] != TEXTS["law/a"][0]
    assert texts[1:] == TEXTS["law/a"][1:]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("noise=[rotation]", "distorts page images"),
        ("engines=[precomputed:gt]", "its engine is gt"),
        ("engines=[gt,{name: gt, label: b}]", "name one engine"),
        ("readers=[extractive]", "not use readers"),
        ("noise=[{name: formatting, label: ../up}]", "part of a file name"),
        ("noise=[]", "names no formatting noise"),
    ],
)
def test_what_means_nothing_is_refused(settings, tmp_path, setting, message):
    done = invoke(main, *settings, setting, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_folders_are_named_as_in_the_published_data():
    assert folder_name(Noise(PluginSpec(name="formatting"), "mild", 0.1)) == "formatting_noise_mild"
    assert folder_name(Noise(PluginSpec(name="titles"), "", 0.25)) == "titles_noise_0.25"
    with pytest.raises(ConfigError):
        folder_name(Noise(PluginSpec(name="titles", label="a/b"), "", 0.25))


def test_the_page_of_examples_marks_the_edits_and_escapes_everything():
    before = 'a <script>alert("1")</script> & {{ x }}\nb'
    for record in ({"edits": [[2, "<", "**<"], [39, "\n", " "]]}, {}, {"edits": [[0, "zzz", ""]]}):
        comparison = compare(
            "n<1>", before, before.replace("<s", "**<s").replace("\n", " "), record
        )
        assert comparison.edits == 2
        assert "".join(p.text for p in comparison.before).replace("↵\n", "\n") == before
        assert "".join(piece.text for piece in comparison.before if piece.changed).endswith("↵\n")
        assert "**" in "".join(piece.text for piece in comparison.after if piece.changed)
    html = render_comparison("t<i>", ["n<1>"], [ShownPage("d<2>", (comparison,))])
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 2
    assert all(f"{name}&gt;" in html for name in ("t&lt;i", "n&lt;1", "d&lt;2"))
    assert "<mark>**</mark>" in html
    assert "{{ x }}" in html


def test_pages_worth_showing_are_of_every_kind_and_a_readable_length():
    texts = ["x" * 500, "$x$" * 300, r"\begin{tabular}" * 50, r"\begin{tabular} $x$" * 40]
    pages = {PageRef(f"d{i:02}", 0): texts[i % 4] for i in range(40)}
    pages |= {PageRef("short", 0): "x", PageRef("long", 0): "x" * 10_000}
    shown = worth_showing(pages, 8, seed=0)
    assert sorted(texts.index(pages[ref]) for ref in shown) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert shown == worth_showing(pages, 8, seed=0)
    assert len(worth_showing(pages, 100, seed=0)) == 40


def test_commands_are_counted_by_kind(settings, tmp_path):
    write_kb(tmp_path / "kb/MinerU", {"law/a": ["**a b** and \\textit{c d}", "plain"]})
    arguments = [*settings, "engines=[gt,precomputed:MinerU]", "levels=[severe]"]
    counts = count_knowledge_bases(load_config([*arguments, "noise=[formatting]"]))
    assert list(counts.columns) == ["gt", "formatting severe", "precomputed:MinerU"]
    assert counts.loc["pages"].tolist() == [3, 3, 2]
    assert counts.loc["heading", "gt"] == pytest.approx(1 / 3)
    assert counts["precomputed:MinerU"][["bold", "italic", "all"]].tolist() == [0.5, 0.5, 1.0]
    assert counts.loc["all", "formatting severe"] > counts.loc["all", "gt"]
    done = invoke(format_counts, *arguments, "--out", tmp_path / "counts")
    assert done.exit_code == 0, done.output
    assert "35.0" in done.output
    assert "56.3" in done.output
    assert (tmp_path / "counts/format_counts.csv").read_text().startswith("kind,gt,")
    two = "engines=[{name: gt, label: a}, {name: gt, label: b}]"
    counts = count_knowledge_bases(
        load_config([*settings, two, "levels=[severe]", "noise=[formatting]"])
    )
    assert list(counts.columns) == ["a", "a, formatting severe", "b", "b, formatting severe"]
    # Pages that bear no noise dilute no count.
    on_evidence = [*arguments, "noise=[formatting]", "dataset.pages=evidence", "dataset.limit=1"]
    counts = count_knowledge_bases(load_config(on_evidence))
    assert counts.loc["pages"].tolist()[:2] == [1, 1]
    refused = invoke(format_counts, *settings, "engines=[tests.fakes.LoggingEngine]", "noise=[]")
    assert refused.exit_code == 2


def test_a_point_of_noise_gives_its_operator():
    assert text_perturbation(Noise(PluginSpec(name="titles"), "", 1.0)).name == "titles"


class Shouting(TextPerturbation):
    """Upper case, with a record of its own."""

    name = "shouting"

    def apply(self, x, *, intensity, rng):
        return Applied(x.upper() if intensity else x, {"shouted": True})

    def replay(self, x, record):
        return x.upper()

    def undo(self, value, record):
        return value


def test_edits_of_an_own_noise_are_counted(settings, tmp_path):
    noise = f"{__name__}.Shouting"
    done = invoke(main, *settings, f"noise=[{noise}]", "levels=[mild]", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    entry = next(
        iter(json.loads((tmp_path / "out/manifest.json").read_text())["knowledge_bases"].values())
    )
    assert entry["changed"] == 3
    assert entry["edits"] > 3
    assert f"4 pages, 3 of them changed, {entry['edits']} edits" in done.output
    assert "Latin" in entry["dose"]


def test_only_the_named_documents_are_written(settings, tmp_path):
    out = tmp_path / "out"
    done = invoke(main, *settings, "dataset.documents=[manual/b]", "levels=[mild]", "--out", out)
    assert done.exit_code == 0, done.output
    assert [path.name for path in (out / "formatting_noise_mild").rglob("*.json")] == ["b.json"]
    assert "1 pages" in done.output
