"""Checkpoints loaded by the package sentence-transformers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

from ohr.errors import MissingDependencyError
from ohr.models.local import LocalModel
from ohr.models.processors import images_alone
from ohr.plugins.base import P
from ohr.store.identity import digest, file_digest


class _HasMaxTokens(Protocol):
    max_tokens: int | None


class PackagedModel(LocalModel[P], abstract=True):
    """A model of sentence-transformers; its parameter ``max_tokens`` may shorten its input."""

    model_class: ClassVar[str]
    """``SentenceTransformer``, ``SparseEncoder``."""

    def encoder_version(self) -> str:
        """Versions and digests of package, model and modules. Raises MissingDependencyError."""
        try:
            package = f"sentence-transformers {version('sentence-transformers')}"
        except PackageNotFoundError as error:
            raise MissingDependencyError(
                f"{self.name}: sentence-transformers is not installed: {self.install}"
            ) from error
        # Pooling and other layers have their own folders.
        parts = sorted(path for path in self._folder.glob("*/*") if path.is_file())
        modules = digest([[path.name, file_digest(path)] for path in parts])
        return f"{package}, {self.model_version()}, modules {modules}"

    def _loaded(self) -> Any:
        """The model. Raises MissingDependencyError."""
        package = self._package("sentence_transformers")
        with self._loading():
            return getattr(package, self.model_class)(
                str(self._folder),
                device=self._device,
                local_files_only=True,
                model_kwargs={"dtype": self._dtype},
            )

    def _load_vision_model(self, settings: Mapping[str, Any]) -> Any:
        """The model, for pictures and text; ``settings``: of its image processor.

        Raises MissingDependencyError, ConfigError.
        """
        with images_alone(self._folder, self._transformers, settings):
            return self._loaded()

    @cached_property
    def _model(self) -> Any:
        model = self._loaded()
        max_tokens = cast(_HasMaxTokens, self.params).max_tokens
        if max_tokens is not None:
            model.max_seq_length = min(max_tokens, model.max_seq_length)
        return model


def is_saved(folder: Path) -> bool:
    """Whether the package saved the checkpoint, so that it has all modules of the model."""
    return (folder / "modules.json").is_file()
