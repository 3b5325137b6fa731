"""Measures how OCR noise cascades through retrieval-augmented generation: the public interface.

A study, its results, and its parts::

    run = ohr.Study(engines=["gt", "tesseract"], noise="semantic").run("runs/first")
    run.cells                              # one row per condition, metric and group
    run.compare(by="engine")               # paired differences with intervals and p
    run.plot.noise_curve()                 # a figure for a notebook; .save(folder) writes it
    ohr.open_run("runs/first")             # opens the same results later

    page = ohr.page_image("report.pdf", 0)
    noisy = ohr.perturbation("salt_and_pepper")(page, intensity=0.5, seed=0)
    text = ohr.engine("tesseract").read(noisy.value).value

    print(ohr.recommend("my_pdfs", "runs/mine").sentences)

Your own plug-in derives from one of the base classes here, and you pass it where you would name
a built-in one: ``class Mine(ohr.Retriever)``, then ``ohr.Study(retrievers=["bm25", Mine])``.
Each name is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohr.errors import (
    ConfigError,
    DatasetError,
    EngineError,
    LateError,
    MissingDependencyError,
    OhrError,
    PluginError,
    StoreError,
    UnknownPluginError,
)
from ohr.lazy import make_getattr
from ohr.types import (
    Answer,
    Chunk,
    Document,
    Hit,
    KnowledgeBase,
    Outcome,
    Page,
    PageImage,
    PageRef,
    Question,
    ShownHit,
    Status,
    load_images,
)

if TYPE_CHECKING:
    from ohr.adviser.recommend.advice import Recommendation
    from ohr.api.adviser import recommend
    from ohr.api.plots import Plot
    from ohr.api.plugins import (
        LoadedEngine,
        LoadedNoise,
        chunker,
        dataset,
        engine,
        known,
        load_metric,
        page_image,
        perturbation,
        reader,
        retriever,
    )
    from ohr.api.run import Run, open_run
    from ohr.api.study import Study
    from ohr.collection import Dataset
    from ohr.markup.strip import strip_markup
    from ohr.plugins import (
        Applied,
        Chunker,
        DatasetParams,
        DatasetSource,
        ImageRepair,
        ImageRetriever,
        KnowledgeBaseSource,
        Level,
        Metric,
        PageParams,
        PageRecord,
        Params,
        Reader,
        Retriever,
        RetrieverChange,
        System,
        SystemReply,
        TextFusion,
        TextPerturbation,
        TextRepair,
        stage,
    )
    from ohr.plugins import OcrBackend as Engine
    from ohr.plugins import PageDistortion as Distortion
    from ohr.plugins.metric import AnswerCase, EvidenceCase, HitsCase, PageCase, metric
else:
    __getattr__ = make_getattr(
        __name__,
        {
            "ohr.api.plugins": (
                "LoadedEngine LoadedNoise chunker dataset engine known load_metric page_image "
                "perturbation reader retriever"
            ),
            "ohr.collection": "Dataset",
            "ohr.markup.strip": "strip_markup",
            "ohr.plugins": (
                "Applied Chunker DatasetParams DatasetSource Distortion=PageDistortion "
                "Engine=OcrBackend ImageRepair ImageRetriever KnowledgeBaseSource Level Metric "
                "PageParams PageRecord Params Reader Retriever RetrieverChange System SystemReply "
                "TextFusion TextPerturbation TextRepair stage"
            ),
            "ohr.plugins.metric": "AnswerCase EvidenceCase HitsCase PageCase metric",
            "ohr.adviser.recommend.advice": "Recommendation",
            "ohr.api.adviser": "recommend",
            "ohr.api.run": "Run open_run",
            "ohr.api.study": "Study",
            "ohr.api.plots": "Plot",
        },
    )

__all__ = [
    "Answer",
    "AnswerCase",
    "Applied",
    "Chunk",
    "Chunker",
    "ConfigError",
    "Dataset",
    "DatasetError",
    "DatasetParams",
    "DatasetSource",
    "Distortion",
    "Document",
    "Engine",
    "EngineError",
    "EvidenceCase",
    "Hit",
    "HitsCase",
    "ImageRepair",
    "ImageRetriever",
    "KnowledgeBase",
    "KnowledgeBaseSource",
    "LateError",
    "Level",
    "LoadedEngine",
    "LoadedNoise",
    "Metric",
    "MissingDependencyError",
    "OhrError",
    "Outcome",
    "Page",
    "PageCase",
    "PageImage",
    "PageParams",
    "PageRecord",
    "PageRef",
    "Params",
    "Plot",
    "PluginError",
    "Question",
    "Reader",
    "Recommendation",
    "Retriever",
    "RetrieverChange",
    "Run",
    "ShownHit",
    "Status",
    "StoreError",
    "Study",
    "System",
    "SystemReply",
    "TextFusion",
    "TextPerturbation",
    "TextRepair",
    "UnknownPluginError",
    "chunker",
    "dataset",
    "engine",
    "known",
    "load_images",
    "load_metric",
    "metric",
    "open_run",
    "page_image",
    "perturbation",
    "reader",
    "recommend",
    "retriever",
    "stage",
    "strip_markup",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
