"""The hooks: one base class for each kind of plug-in.

A plug-in is a class with a ``name`` and a ``version`` that changes whenever its output may
change. Its parameters are a subclass of :class:`Params`, named in the brackets:
``class Mine(Reader[MineParams])``. The artefact store uses :meth:`Plugin.identity` as a key.
:mod:`ohr.registry` finds plug-ins by name. Each name is imported when it is first used.
"""

from typing import TYPE_CHECKING

from ohr.lazy import make_getattr

if TYPE_CHECKING:
    from ohr.plugins.base import Params, Plugin
    from ohr.plugins.chat import Chat, Completion, Message, ToolCall
    from ohr.plugins.chunker import Chunker
    from ohr.plugins.dataset import DatasetParams, DatasetSource
    from ohr.plugins.engine import CompositeEngine, KnowledgeBaseSource, OcrBackend
    from ohr.plugins.engine import OcrBackend as Engine
    from ohr.plugins.metric import AnswerCase, EvidenceCase, HitsCase, Metric, PageCase
    from ohr.plugins.mitigation import ImageRepair, RetrieverChange, TextFusion, TextRepair
    from ohr.plugins.perturbation import (
        Applied,
        ImagePerturbation,
        Level,
        PageDistortion,
        PageParams,
        PageRecord,
        Perturbation,
        TextPerturbation,
    )
    from ohr.plugins.perturbation import PageDistortion as Distortion
    from ohr.plugins.reader import Reader, Reply
    from ohr.plugins.retriever import ImageRetriever, Oracle, Retriever
    from ohr.plugins.sources import check_unedited, source_of
    from ohr.plugins.system import Stage, System, SystemReply, stage
    from ohr.types import PageImage, ShownHit, load_images
else:
    __getattr__ = make_getattr(
        __name__,
        {
            "ohr.plugins.base": "Params Plugin",
            "ohr.plugins.chat": "Chat Completion Message ToolCall",
            "ohr.plugins.chunker": "Chunker",
            "ohr.plugins.dataset": "DatasetParams DatasetSource",
            "ohr.plugins.engine": (
                "CompositeEngine Engine=OcrBackend KnowledgeBaseSource OcrBackend"
            ),
            "ohr.plugins.metric": "AnswerCase EvidenceCase HitsCase Metric PageCase",
            "ohr.plugins.mitigation": "ImageRepair RetrieverChange TextFusion TextRepair",
            "ohr.plugins.perturbation": (
                "Applied Distortion=PageDistortion ImagePerturbation Level PageDistortion "
                "PageParams PageRecord Perturbation TextPerturbation"
            ),
            "ohr.plugins.reader": "Reader Reply",
            "ohr.plugins.retriever": "ImageRetriever Oracle Retriever",
            "ohr.plugins.sources": "check_unedited source_of",
            "ohr.plugins.system": "Stage System SystemReply stage",
            "ohr.types": "PageImage ShownHit load_images",
        },
    )

__all__ = [
    "AnswerCase",
    "Applied",
    "Chat",
    "Chunker",
    "Completion",
    "CompositeEngine",
    "DatasetParams",
    "DatasetSource",
    "Distortion",
    "Engine",
    "EvidenceCase",
    "HitsCase",
    "ImagePerturbation",
    "ImageRepair",
    "ImageRetriever",
    "KnowledgeBaseSource",
    "Level",
    "Message",
    "Metric",
    "OcrBackend",
    "Oracle",
    "PageCase",
    "PageDistortion",
    "PageImage",
    "PageParams",
    "PageRecord",
    "Params",
    "Perturbation",
    "Plugin",
    "Reader",
    "Reply",
    "Retriever",
    "RetrieverChange",
    "ShownHit",
    "Stage",
    "System",
    "SystemReply",
    "TextFusion",
    "TextPerturbation",
    "TextRepair",
    "ToolCall",
    "check_unedited",
    "load_images",
    "source_of",
    "stage",
]


def __dir__() -> list[str]:
    return __all__
