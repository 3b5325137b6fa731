"""Measures how OCR noise cascades through retrieval-augmented generation: the public interface.

One page, one knowledge base::

    noisy = ohr.perturb("page.png", "camera", 0.5)
    text = ohr.read(noisy, "tesseract")
    ohr.lcs(text, "net sales rose")                 # share of these words that are there, in order
    ohr.evaluate(kb, truth, questions, metrics=["lcs@2", "hit@5", "r_noise"])   # a frame

A study, its results, and its analyses::

    run = ohr.Study(engines=["gt", "tesseract"], noise="semantic").run("runs/first")
    run.cells                              # one row per condition, metric and group
    run.compare(by="engine")               # paired differences with intervals and p
    run.plot.noise_curve()                 # a figure for a notebook; .save(folder) writes it
    ohr.open_run("runs/first")             # opens the same results later

    print(ohr.recommend("my_pdfs", "runs/mine").sentences)

Your own plug-in derives from a base class in :mod:`ohr.plugins`, and you pass it where you would
name a built-in one: ``class Mine(ohr.plugins.Retriever)``, then
``ohr.Study(retrievers=["bm25", Mine])``. All errors are in :mod:`ohr.errors`. Each name is imported
when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ohr.errors import ConfigError, DatasetError, EngineError, MissingDependencyError, OhrError
from ohr.lazy import make_getattr
from ohr.types import (
    Answer,
    Chunk,
    Document,
    Hit,
    KnowledgeBase,
    Outcome,
    Page,
    PageRef,
    Question,
    Status,
)

if TYPE_CHECKING:
    from ohr import errors, plugins
    from ohr.api.adviser import recommend
    from ohr.api.evaluation import evaluate
    from ohr.api.pages import lcs, perturb, r_noise, read
    from ohr.api.plugins import (
        chunker,
        dataset,
        engine,
        known,
        metric,
        mitigation,
        page_image,
        perturbation,
        reader,
        retriever,
        system,
    )
    from ohr.api.run import Run, open_run
    from ohr.api.study import Study
    from ohr.collection import Dataset
    from ohr.markup.strip import strip_markup
else:
    __getattr__ = make_getattr(
        __name__,
        {
            "ohr.api.adviser": "recommend",
            "ohr.api.evaluation": "evaluate",
            "ohr.api.pages": "lcs perturb r_noise read",
            "ohr.api.plugins": (
                "chunker dataset engine known metric mitigation page_image perturbation reader "
                "retriever system "
                # Of version 0.1; they go with the next release, as those below.
                "LoadedEngine LoadedNoise load_metric"
            ),
            "ohr.api.run": "Run open_run",
            "ohr.api.study": "Study",
            "ohr.collection": "Dataset",
            "ohr.markup.strip": "strip_markup",
            "ohr.plugins": (
                "AnswerCase Applied Chunker DatasetParams DatasetSource Distortion Engine "
                "EvidenceCase HitsCase ImageRepair ImageRetriever KnowledgeBaseSource Level Metric "
                "PageCase PageParams PageRecord Params Reader Retriever RetrieverChange System "
                "SystemReply TextFusion TextPerturbation TextRepair stage"
            ),
            "ohr.adviser.recommend.advice": "Recommendation",
            "ohr.api.plots": "Plot",
            "ohr.errors": "LateError PluginError StoreError UnknownPluginError",
            "ohr.types": "PageImage ShownHit load_images",
        },
    )

__all__ = [
    "Answer",
    "Chunk",
    "ConfigError",
    "Dataset",
    "DatasetError",
    "Document",
    "EngineError",
    "Hit",
    "KnowledgeBase",
    "MissingDependencyError",
    "OhrError",
    "Outcome",
    "Page",
    "PageRef",
    "Question",
    "Run",
    "Status",
    "Study",
    "chunker",
    "dataset",
    "engine",
    "errors",
    "evaluate",
    "known",
    "lcs",
    "metric",
    "mitigation",
    "open_run",
    "page_image",
    "perturb",
    "perturbation",
    "plugins",
    "r_noise",
    "read",
    "reader",
    "recommend",
    "retriever",
    "strip_markup",
    "system",
]


def __dir__() -> list[str]:
    return sorted(__all__)
