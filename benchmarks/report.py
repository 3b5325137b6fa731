"""A report of 100,000 rows: how long it takes to build and to open, and how much memory.

``python -m benchmarks.report [--questions 1250] [--run RUN] [--out build/report] [--openings 3]
[--visits 40]`` takes a finished run, or runs a study over generated pages whose text is rewritten
(16 knowledge bases, two readers: 80 rows a question), builds its report twice, and opens it from
disk in Chromium. Prints CPU seconds and memory of the build, whether the second has the same bytes,
the size of the folder; seconds until the list can be used, milliseconds of each filter, and
Chromium's memory. The generated study is made once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import resource
import shutil
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psutil
from playwright.sync_api import CDPSession, Page, sync_playwright

import ohr
from ohr.report.build import build_report
from ohr.report.options import ReportOptions
from ohr.study.config import load_config
from ohr.study.results import open_run
from ohr.study.run import run_study

WORDS = "rent wages fuel paper tolls trips notes costs terms parts plans rules".split()
NOISE = ("formatting", "text_style", "titles", "line_breaks", "formula_spacing")
PAGES_A_DOCUMENT = 10
QUESTIONS_A_PAGE = 5
LAST = "(last)"
"""The last choice of a filter."""
FILTERS = (
    ("stage", "overall"),
    ("noise", LAST),
    ("source", LAST),
    ("change", "loss"),
    ("text", "what 7"),
    ("text", ""),
)


class FirstOfPage(ohr.Reader):
    """Answers with the words after the question's number, where they are."""

    name = "first_of_page"

    def answer(self, question: str, context: Sequence[ohr.Hit]) -> ohr.Outcome[str]:
        known = f"Fact {question.split()[-1].rstrip('?')} is "
        for hit in context:
            _, separator, after = hit.text.partition(known)
            if separator:
                return ohr.Outcome.of_text(" ".join(after.split()[:2]).rstrip("."))
        return ohr.Outcome.of_text("unknown")


class LastOfPage(FirstOfPage):
    """The same with the last hit first."""

    name = "last_of_page"

    def answer(self, question: str, context: Sequence[ohr.Hit]) -> ohr.Outcome[str]:
        return super().answer(question, context[::-1][:1])


def write_data(root: Path, questions: int) -> list[str]:
    """Pages of some facts each, with headings, a formula and a table; a study's settings."""
    rng = np.random.default_rng(0)
    documents: dict[str, list[dict[str, object]]] = {}
    entries = []
    for page in range(questions // QUESTIONS_A_PAGE):
        document, number = divmod(page, PAGES_A_DOCUMENT)
        doc = f"{('law', 'news', 'manual')[document % 3]}/doc{document}"
        lines = [f"# Section {page}"]
        for at in range(QUESTIONS_A_PAGE):
            n = QUESTIONS_A_PAGE * page + at
            fact = f"Fact {n} is answer {n}."
            paragraph = f"{fact} {' '.join(rng.choice(WORDS, 60))}, where $x_{at}^2$."
            lines += [f"## Part {at}", paragraph]
            entries.append(
                {
                    "doc_name": doc, "ID": f"q{n}", "questions": f"What is fact {n}?",
                    "answers": f"answer {n}", "doc_type": doc.split("/")[0],
                    "answer_form": "Short Answer", "evidence_context": fact,
                    "evidence_source": ("text", "table", "formula")[n % 3],
                    "evidence_page_no": number,
                }
            )  # fmt: skip
        documents.setdefault(doc, []).append({"page_idx": number, "text": "\n\n".join(lines)})
    for doc, pages in documents.items():
        path = root / "kb" / "gt" / f"{doc}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(pages))
    (root / "qas.json").write_text(json.dumps(entries))
    return [
        "dataset.kind=ohrbench",
        f"dataset.path={root / 'kb'}",
        f"dataset.questions={root / 'qas.json'}",
        f"cache={root / 'cache'}",
        "engines=[gt]",
        f"noise=[{','.join(NOISE)}]",
        "levels=[mild,moderate,severe]",
        "readers=[benchmarks.report.FirstOfPage,benchmarks.report.LastOfPage]",
        "seeds=0",
        "workers=1",
        "bootstrap=100",
    ]


def build(run: Path, out: Path) -> None:
    """Build the report in a process of its own, and print what it took."""

    def work() -> None:
        started = time.process_time()
        options = ReportOptions("worst:500,random:500", "none")
        print(build_report([open_run(run)], out, options).selection.sentence())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"build: {time.process_time() - started:.1f} CPU s, at most {peak:.0f} MB", flush=True
        )

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit("the report was not built")


def bytes_of(folder: Path) -> tuple[str, int]:
    """A digest of a folder's files, and their size."""
    seen, size = hashlib.blake2b(), 0
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            size += len(content)
            seen.update(str(path.relative_to(folder)).encode() + content)
    return seen.hexdigest(), size


def look(index: Path, openings: int, visits: int) -> None:
    """Open a report in Chromium, and print what that took."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=arguments
        )
        whole = browser.new_browser_cdp_session()
        opened, filtered, spent, held = [], [], [], []
        for _ in range(openings):
            context = browser.new_context(offline=True)
            page = context.new_page()
            direct = context.new_cdp_session(page)
            started = time.perf_counter()
            page.goto(f"{index.as_uri()}#cases")
            page.wait_for_selector("table.cases tbody tr")
            opened.append(time.perf_counter() - started)
            cpu = [cpu_seconds(whole)]
            filtered.append([milliseconds(direct, name, value) for name, value in FILTERS])
            cpu.append((cpu_seconds(whole) - cpu[0]) / len(FILTERS))
            spent.append(cpu)
            walk(page, visits)
            held.append(megabytes(whole))
            context.close()
        rows = json.loads((index.parent / "data" / "rows.js").read_text()[15:-3])["n"]
        to_open, to_filter = (statistics.median(seconds) for seconds in zip(*spent, strict=True))
        print(f"{rows:,} rows: list usable after {statistics.median(opened):.2f} s")
        print(f"CPU of the page's process: {to_open:.2f} s to open, {to_filter:.3f} s a filter")
        for (name, value), times in zip(FILTERS, zip(*filtered, strict=True), strict=True):
            print(f"filter {name}={value}: {statistics.median(times):.0f} ms")
        page_mb, all_mb = (max(values) for values in zip(*held, strict=True))
        print(
            f"after {visits} cases and all views: page {page_mb:.0f} MB, Chromium {all_mb:.0f} MB"
        )
        browser.close()


def milliseconds(direct: CDPSession, name: str, value: str) -> float:
    """From a choice in the list's form until its rows are laid out."""
    expression = (
        f"(() => {{ const field = document.querySelector('.filters [name={name}]');"
        f" const value = {json.dumps(value)}; field.value = value === {json.dumps(LAST)}"
        " ? field.lastElementChild.value : value; const started = performance.now();"
        " field.dispatchEvent(new Event('input', {bubbles: true}));"
        " document.body.getBoundingClientRect(); return performance.now() - started; })()"
    )
    answer = direct.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
    return float(answer["result"]["value"])


def walk(page: Page, visits: int) -> None:
    """Look at some cases, and at every view."""
    for _ in range(visits):
        page.keyboard.press("j")
        page.wait_for_timeout(20)
    for view in ("pages", "page?page=1", "review", "overview", "cases"):
        page.goto(f"{page.url.partition('#')[0]}#{view}")
        page.wait_for_timeout(200)


def cpu_seconds(direct: CDPSession) -> float:
    """What the process of the page has spent: it says more than a clock where others work too."""
    processes = direct.send("SystemInfo.getProcessInfo")["processInfo"]
    return max(float(p["cpuTime"]) for p in processes if p["type"] == "renderer")


def megabytes(direct: CDPSession) -> tuple[float, float]:
    """What the process of the page holds alone, and what all of the browser's hold alone."""
    processes = direct.send("SystemInfo.getProcessInfo")["processInfo"]
    held = {p["id"]: psutil.Process(p["id"]).memory_full_info().uss / 1e6 for p in processes}
    pages = [held[p["id"]] for p in processes if p["type"] == "renderer"]
    return max(pages), sum(held.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=1250)
    parser.add_argument("--run", type=Path, help="a finished run in place of the generated one")
    parser.add_argument("--out", type=Path, default=Path("build/report"))
    parser.add_argument("--openings", type=int, default=3, help="of which the medians are printed")
    parser.add_argument(
        "--visits", type=int, default=40, help="cases looked at before memory is measured"
    )
    options = parser.parse_args()
    run = options.run or options.out / "run"
    if options.run is None and not (run / "cells.csv").exists():
        run_study(load_config(write_data(options.out / "data", options.questions)), run)
    reports = [options.out / name for name in ("first", "second")]
    for report in reports:
        shutil.rmtree(report, ignore_errors=True)
        build(run, report)
    (first, size), (second, _) = map(bytes_of, reports)
    print(f"folder: {size / 1e6:.1f} MB; second build {'the same' if first == second else 'OTHER'}")
    look(reports[0].resolve() / "index.html", options.openings, options.visits)


if __name__ == "__main__":
    main()
