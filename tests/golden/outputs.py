"""What each built-in makes of the fixed inputs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ohr import registry
from ohr.metrics.page_facts import make_fact
from ohr.metrics.scores import SCORING
from ohr.ocr.noise import choose_level
from ohr.plugins import (
    Chunker,
    ImagePerturbation,
    ImageRepair,
    KnowledgeBaseSource,
    Metric,
    OcrBackend,
    Oracle,
    Perturbation,
    Plugin,
    Reader,
    Retriever,
    RetrieverChange,
    System,
    TextFusion,
    TextRepair,
)
from ohr.plugins.metric import AnswerCase, Case, EvidenceCase, HitsCase, PageCase, Scoring
from ohr.plugins.randomness import generator_for
from ohr.registry import PluginSpec
from ohr.store.identity import digest, pixel_digest
from ohr.types import Answer, Question
from tests.builders import write_kb, write_page, write_questions
from tests.golden import inputs
from tests.golden.identities import portable_identity
from tests.ohr.datasets.published import write_annotated, write_pairs, write_parquet
from tests.ohr.datasets.test_olmocr_bench import write_bench
from tests.ohr.datasets.test_retrieval_sets import write_beir, write_vidore
from tests.ohr.datasets.test_sroie import write_receipt
from tests.ohr.datasets.test_transcriptions import ALTO, PAGE
from tests.ohr.datasets.test_transcriptions import write as write_transcription

LEFT_OUT = {
    "metric": {"judged"},
    "engine": {
        "azure", "command", "docling", "got", "internvl", "marker", "mineru", "nougat",
        "openai_vlm", "qwen_vl", "shipped",
    },
    "reader": {"openai", "transformers"},
    "retriever": {
        "bge_m3", "dpr", "late_interaction", "late_interaction_server", "minilm",
        "onnx_embeddings", "openai_embeddings", "rerank", "rerank_onnx", "rerank_server",
        "sentence_transformers", "single_vector", "splade",
    },
}  # fmt: skip
"""Kind -> what runs a program, a server or a model of the user's: those decide the output."""
NGRAMS = {"name": "bm25", "params": {"terms": "ngrams"}}
PARAMS: dict[str, list[dict[str, Any]]] = {
    "retriever/bm25": [
        {},
        {"terms": "ngrams"},
        *({"variant": v} for v in ("robertson", "atire", "bm25+")),
    ],
    "retriever/hybrid": [{"retrievers": ["bm25", NGRAMS]}],
    "retriever/page": [{"retriever": "bm25"}],
    "chunker/tokens": [{}, {"size": 60}],
    "engine/precomputed": [{"kb": "read"}],
    "perturbation/semantic": [{"draw": draw} for draw in ("weak", "strong", "two")],
}
"""What plug-ins are made with, other than their defaults."""
RESIZED = {
    "archive", "background", "camera", "fax", "office", "phone", "photocopy", "printer", "scan",
    "scanner", "semantic", "upscale",
}  # fmt: skip
"""Image noise and repairs that OpenCV resizes: their last bit depends on the processor's
instructions."""
DITHERED = {"fax", "office"}
"""Image noise whose dots Pillow sets."""
DECIMALS = 5
"""Of floats, whose last digits are the machine's."""


def names() -> list[tuple[str, str]]:
    """Kind and name of every built-in that has a digest."""
    return [
        (kind, name)
        for kind in registry.KINDS
        for name in registry.known(kind)
        if name not in LEFT_OUT.get(kind, ())
    ]


def _instructions() -> str:
    """The instructions of this processor that OpenCV has code for, the newest last."""
    names = cv2.getCPUFeaturesLine().replace("*", "").split()
    return " ".join(name for name in names if not name.endswith("?"))  # "?" marks what it lacks


def entry(kind: str, name: str) -> dict[str, Any]:
    """Version, identity, output, and what they were made with.

    Raises MissingDependencyError for what is not installed.
    """
    if kind == "dataset":  # made with the files of its own test folder
        plugins: list[Plugin] = [registry.plugin_class(kind, name)()]
    else:
        given = PARAMS.get(f"{kind}/{name}", [{}])
        plugins = [registry.create(kind, {"name": name, "params": params}) for params in given]
    made_with: dict[str, str] = {}
    identities = [portable_identity(plugin.identity(), made_with) for plugin in plugins]
    # A version may name packages: "2+bm25s-0.3".
    number, _, packages = plugins[0].version.partition("+")
    if packages:
        made_with["packages"] = packages
    if isinstance(plugins[0], ImagePerturbation) or name in RESIZED:
        made_with |= {name: version(name) for name in ("numpy", "opencv-python-headless")}
        if name in DITHERED:
            made_with["pillow"] = version("pillow")
        if name in RESIZED:
            made_with["processor"] = _instructions()
    return {
        "version": number,
        "identity": digest([{**identity, "version": ""} for identity in identities]),
        "output": digest([plain(output(plugin)) for plugin in plugins]),
    } | ({"with": made_with} if made_with else {})


def output(plugin: Plugin) -> object:
    """What a plug-in makes of its kind's inputs."""
    for base, make in MAKERS.items():
        if isinstance(plugin, base):
            return make(plugin)
    return datasets(plugin.name)


def noise(plugin: Perturbation[Any]) -> object:
    """Pages and records, at each level and two intensities; boxes where they have gone."""
    results = []
    spec = PluginSpec(name=plugin.name)  # a level sets parameters of its own
    points = [choose_level(spec, level) for level in plugin.levels]
    made = [(registry.create("perturbation", p.operator or spec), p.intensity) for p in points]
    made += [(plugin, 0.1), (plugin, 0.7)]
    for operator, intensity in made:
        for ref, text in list(inputs.PAGES.items())[:3]:
            rng = generator_for(0, operator.name, ref)
            if isinstance(operator, ImagePerturbation):
                grey = inputs.page_image()
                page = grey if ref.page_no else np.stack([grey, grey // 2, grey], axis=2)
                image = operator.apply(page, intensity=intensity, rng=rng)
                boxes = operator.move(np.array([[15.0, 20.0, 100.0, 60.0]]), image.record)
                results.append([pixel_digest(image.value), image.record, boxes.tolist()])
            else:
                rewritten = operator.apply(text, intensity=intensity, rng=rng)
                results.append([rewritten.value, rewritten.record])
    return results


def chunks(plugin: Chunker) -> object:
    """Chunks of all pages."""
    return plugin.chunks(inputs.PAGES.items())


def hits(plugin: Retriever) -> object:
    """The best four chunks of each question."""
    plugin.index(inputs.CHUNKS)
    return plugin.search_many(list(inputs.QUESTIONS), 4)


def gold(plugin: Oracle) -> object:
    """The hits on each question's page."""
    plugin.index(inputs.CHUNKS)
    return [plugin.look_up([inputs.REFS[position]], 4) for position in inputs.QUESTIONS.values()]


def answers(plugin: Reader) -> object:
    """Answers over two pages, and over none."""
    asked = list(zip(inputs.QUESTIONS, inputs.CONTEXTS, strict=True))
    return [
        [plugin.answer(question, hits), plugin.answer(question, [])] for question, hits in asked
    ]


def systems(plugin: System) -> object:
    """Answers over all documents, and over none."""
    documents = list(inputs.dataset().documents.values())
    questions = list(inputs.QUESTIONS)
    return [
        reply.outcome
        for there in (documents, [])
        for reply in sorted(plugin.answer_many(questions, there), key=lambda one: one.index)
    ]


def scores(plugin: Metric) -> object:
    """Values under both protocols of what the metric is of."""
    return [
        [plugin.measure(case) for case in cases(_of(plugin), scoring)]
        for name, scoring in SCORING.items()
        if name in plugin.protocols
    ]


def _of(plugin: Metric) -> str:
    return "fact" if "fact" in plugin.needs else plugin.of


def cases(of: str, scoring: Scoring) -> list[Case]:
    """Readings of pages, of a question's evidence, hits, or answers."""
    pages = (inputs.HARBOUR, inputs.TIDES)
    readings = list(inputs.READINGS.values())
    if of == "page":
        return [PageCase(read, page, scoring) for read in readings for page in pages]
    questions = [
        Question(
            str(position),
            text,
            ("1874", "in 1874"),
            "",
            "",
            (inputs.REFS[position],),
            page[:200],
            "text",
        )
        for (text, position), page in zip(inputs.QUESTIONS.items(), pages, strict=False)
    ]
    if of == "fact":
        facts = [replace(questions[0], fact=make_fact(fact)) for fact in inputs.FACTS]
        return [EvidenceCase((read,), one, scoring) for read in readings for one in facts]
    if of == "evidence":
        return [EvidenceCase((read,), one, scoring) for read in readings for one in questions]
    if of == "hits":
        contexts = [tuple(context) for context in inputs.CONTEXTS]
        return [HitsCase(hits, 4, one, scoring) for hits in contexts for one in questions]
    texts = ["It was opened in 1874.", "1874", "Not answerable", *readings]
    answers = [Answer(text, sources=tuple(inputs.REFS)[:2]) for text in texts]
    return [AnswerCase(answer, one, scoring) for answer in answers for one in questions]


def reading(plugin: OcrBackend) -> object:
    """A page image, or a page of a PDF."""
    if "image" in plugin.accepts:
        return list(plugin.transcribe([inputs.printed()], [0]))
    with tempfile.TemporaryDirectory() as folder:
        content = "BT /F 14 Tf 20 200 Td (The harbour was opened in 1874.) Tj ET"
        return list(plugin.transcribe(write_page(Path(folder) / "page.pdf", content), [0]))


def existing(plugin: KnowledgeBaseSource) -> object:
    """The ground truth, or a knowledge base in files that misses a page."""
    dataset = inputs.dataset()
    with tempfile.TemporaryDirectory() as folder:
        write_kb(
            Path(folder) / "read", {"port/harbour": ["Read.", "Read too."], "port/city": ["Um"]}
        )
        dataset.root = Path(folder)
        pages = plugin.knowledge_base(dataset).pages
    return [[ref, outcome] for ref, outcome in pages.items()]


def datasets(name: str) -> object:
    """Documents and questions as they are loaded."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        params: dict[str, Any] = {"cache": folder / "cache"}
        if name == "folder":
            content = "BT /F 14 Tf 20 200 Td (The harbour was opened in 1874.) Tj ET"
            (folder / "pdfs").mkdir()
            write_page(folder / "pdfs" / "harbour.pdf", content)
            (folder / "questions.csv").write_text(
                "document,page,question,answer\nharbour,1,When?,1874\n"
            )
            params |= {"path": folder / "pdfs", "questions": folder / "questions.csv"}
        if name == "ohrbench":
            write_kb(folder / "gt", {"port/harbour": [inputs.HARBOUR, inputs.TIDES]})
            asked = {"doc_name": "port/harbour", "ID": "1", "questions": "When?", "answers": "1874"}
            asked |= {"doc_type": "port", "answer_form": "Numeric", "evidence_source": "equation"}
            rest = {"evidence_context": "opened in **1874**", "evidence_page_no": 0}
            write_questions(folder / "qas.json", [asked | rest])
            params |= {"path": folder, "questions": folder / "qas.json"}
        if name == "qasper":
            given = {"unanswerable": False, "extractive_spans": [], "free_form_answer": "in 1874"}
            answer = given | {"yes_no": None, "evidence": [inputs.LONG[:60].split("\n\n")[1]]}
            parts = [{"section_name": "Port ::: Ships", "paragraphs": answer["evidence"]}]
            asked = {"question_id": "1", "question": "When?", "answers": [{"answer": answer}]}
            paper = {"title": "Harbours", "abstract": "", "full_text": parts, "qas": [asked]}
            (folder / "papers.json").write_text(json.dumps({"1": paper}))
            params |= {"path": folder / "papers.json"}
        if name == "omnidocbench":
            write_annotated(folder, {"harbour_1.jpg": ["opened in 1874", "<table/>"]})
            params |= {"path": folder}
        if name == "dvisrag":
            asked_of = [("1", "When?", "1874", "harbour-1")]
            write_parquet(folder / "port", {"harbour-1": b"\x89PNG"}, asked_of)
            params |= {"path": folder / "port"}
        if name == "beir":
            params |= {"path": write_beir(folder / "set")}
        if name == "olmocr_bench":
            params |= {"path": write_bench(folder / "set")}
        if name == "vidore":
            (folder / "set").mkdir()
            params |= {"path": write_vidore(folder / "set")}
        if name == "induocr":
            write_pairs(folder, {"harbour_1": inputs.HARBOUR}, [("harbour_1", "When?", "1874")])
            params |= {"path": folder}
        if name == "sroie":
            write_receipt(folder, "001", published=True)
            params |= {"path": folder}
        if name in ("page_xml", "alto"):
            transcription = PAGE if name == "page_xml" else ALTO
            write_transcription(folder, "1", transcription.format(image="1.png", unit="pixel"))
            params |= {"path": folder}
        loaded = registry.create("dataset", {"name": name, "params": params}).load()
        pages = [[ref, page.text] for ref, page in loaded.pages.items()]
        questions = [asdict(question) for question in loaded.questions]
        for one in questions:
            for young in (
                "category",
                "headers",
                "written_for",
                "relevance",
                "fact",
            ):  # younger than these digests
                if not one[young]:
                    del one[young]
        return [pages, questions, loaded.report.lines()]


def image_repair(plugin: ImageRepair) -> object:
    """The page, with a shadow on it, repaired: grey and RGB."""
    page = inputs.page_image()
    dark = (page * np.linspace(0.4, 1.0, page.shape[1])).astype(np.uint8)
    return [pixel_digest(plugin.repair(each)) for each in (dark, np.stack([dark] * 3, axis=2))]


def text_repair(plugin: TextRepair) -> object:
    """Pages with a letter of every ninth word misread."""
    return [plugin.repair(inputs.misread(text, 9)) for text in list(inputs.PAGES.values())[:3]]


def fusion(plugin: TextFusion) -> object:
    """Pages that two engines misread differently."""
    pages = list(inputs.PAGES.values())[:3]
    return [plugin.fuse([inputs.misread(text, 9), inputs.misread(text, 7)]) for text in pages]


MAKERS: dict[type, Callable[[Any], object]] = {
    Perturbation: noise,
    Chunker: chunks,
    Retriever: hits,
    Oracle: gold,
    Reader: answers,
    System: systems,
    Metric: scores,
    OcrBackend: reading,
    ImageRepair: image_repair,
    TextRepair: text_repair,
    TextFusion: fusion,
    RetrieverChange: lambda plugin: plugin.retriever("bm25", {"k1": 1.2}),
    KnowledgeBaseSource: existing,
}


def plain(value: Any) -> Any:
    """The value as JSON has it, with floats rounded; None for NaN."""
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return None
        return round(float(value), DECIMALS) + 0.0
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {
            str(key): plain(part)
            for key, part in value.items()
            if not (key == "confidence" and part is None)  # an answer that does not say
        }
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        return [plain(part) for part in value]
    return value


def entries(wanted: Iterable[tuple[str, str]]) -> dict[str, dict[str, Any]]:
    """``kind/name`` -> its entry."""
    return {f"{kind}/{name}": entry(kind, name) for kind, name in wanted}
