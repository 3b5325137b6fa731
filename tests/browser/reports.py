"""Small studies, and the reports of them."""

from __future__ import annotations

from pathlib import Path

from ohr.report.build import build_report
from ohr.report.options import ReportOptions
from ohr.study.results import StudyRun, open_run
from ohr.study.run import run_study
from tests.browser.strange import ALL, HOSTILE, NAME, PAGE
from tests.builders import load_config, qa, write_kb, write_page, write_questions

SOURCES = ("text", "table", "formula")


def write_pages(root: Path, documents: int = 8) -> list[str]:
    """Documents of a page each, whose PDFs have words; returns a study's settings."""
    texts, entries = {}, []
    for d in range(documents):
        doc_id = f"{'law' if d % 2 else 'manual'}/doc{d}"
        lines = [f"Fact {10 * d + n} is answer {10 * d + n}. It costs {n} euros." for n in (0, 1)]
        texts[doc_id] = ["\n".join(["# Facts", *lines, "$x^2$"])]
        drawn = " ".join(f"0 -20 Td ({line}) Tj" for line in lines)
        pdf = root / "pdfs" / f"{doc_id}.pdf"
        pdf.parent.mkdir(parents=True, exist_ok=True)
        write_page(pdf, f"BT /F 8 Tf 10 200 Td {drawn} ET")
        entries += [
            qa(10 * d + n, doc_id, 0, evidence_source=SOURCES[d % 3], evidence_context=lines[n])
            for n in (0, 1)
        ]
    write_kb(root / "kb" / "gt", texts)
    write_questions(root / "qas.json", entries)
    return settings_of(root)


def write_strange_pages(root: Path) -> list[str]:
    """Documents, questions and evidence of mark-up; returns a study's settings."""
    texts, entries = {}, []
    for d in range(6):
        doc_id = f"{NAME}{d % 2}/{NAME}{d}"
        texts[doc_id] = [f"{PAGE}\nFact {d} is answer {d}."]
        pdf = root / "pdfs" / f"{doc_id}.pdf"
        pdf.parent.mkdir(parents=True, exist_ok=True)
        write_page(pdf, f"BT /F {8 + d} Tf 10 200 Td (Fact {d} is answer {d}.) Tj ET")
        entries.append(
            qa(
                d, doc_id, 0,
                ID=f"{d}{HOSTILE[d]}",
                questions=f"What is fact {d}? {'x' * d} {ALL if d else HOSTILE[1]}",
                answers=f"answer {d} {ALL}",
                evidence_source=HOSTILE[d % 3],
                evidence_context=f"{ALL} Fact {d} is answer {d}.",
                answer_form=HOSTILE[1],
            )
        )  # fmt: skip
    write_kb(root / "kb" / "gt", texts)
    write_questions(root / "qas.json", entries)
    return settings_of(root)


def settings_of(root: Path) -> list[str]:
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={root / 'kb'}",
        f"dataset.questions={root / 'qas.json'}",
        f"dataset.pdfs={root / 'pdfs'}",
        f"cache={root / 'cache'}",
        "dpi=72",
        "seeds=0",
        "workers=1",
        "bootstrap=100",
    ]


def finished(out: Path, *settings: str) -> StudyRun:
    run_study(load_config(settings), out)
    return open_run(out)


def small_report(root: Path) -> Path:
    """A report of two engines under two kinds of noise, with readers, a system and pictures."""
    run = finished(
        root / "small",
        *write_pages(root, 17),  # more than two hundred rows
        "engines=[gt,tests.fakes.LoggingEngine]",
        "noise=[{name: tests.fakes.HideFacts, label: formatting},salt_and_pepper]",
        "levels=[mild,severe]",
        "readers=[tests.fakes.FactReader,tests.fakes.SteadyReader]",
        "systems=[rag,tests.browser.strange.TellingSystem]",
    )
    options = ReportOptions("random:all", "webp:400:60", title="A small report")
    build_report([run], root / "report", options)
    return root / "report" / "index.html"


def strange_report(root: Path) -> Path:
    """A report in which all that a document, an engine, a model or a name says is hostile."""
    label = "<img src=x onerror=__hit('label')>"
    run = finished(
        root / NAME,
        *write_strange_pages(root),
        f'engines=[{{name: gt, label: "{label}gt"}},'
        f'{{name: tests.browser.strange.StrangeEngine, label: "{label}"}}]',
        f'noise=[{{name: salt_and_pepper, label: "{label}"}}]',
        "levels=[mild]",
        f'readers=[{{name: tests.browser.strange.StrangeReader, label: "{label}"}}]',
        f'systems=[rag,{{name: tests.browser.strange.StrangeSystem, label: "{label}s"}}]',
    )
    options = ReportOptions("random:all", "webp:400:60", title=f"{ALL}\x00\ud800")
    build_report([run], root / "report", options)
    return root / "report" / "index.html"


def number(text: str) -> float:
    """A number as tables have it, with a real minus."""
    return float(text.replace("−", "-"))
