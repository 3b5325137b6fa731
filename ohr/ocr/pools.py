"""The workers that read pages, on this machine or a cluster, one page or several at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ohr.errors import ConfigError
from ohr.ocr.worker import PageReader, read_page, read_pages
from ohr.plugins import OcrBackend
from ohr.types import Runner
from ohr.workers import BatchedPool, Limits, Pool, RayPool, WorkerPool


@dataclass(frozen=True)
class Runners:
    """Where workers run, and how many; with ``ray``, each gets a share ``gpus`` of a GPU."""

    workers: int
    runner: Runner = "local"
    gpus: float = 0.0

    def __post_init__(self) -> None:
        if self.gpus and self.runner != "ray":
            raise ConfigError("only Ray assigns GPUs; here every worker sees every GPU")

    def pool(
        self,
        function: Callable[..., Any],
        setup: Any,
        limits: Limits,
        *,
        retry: bool = True,
        batches: bool = False,
    ) -> WorkerPool[Any] | RayPool[Any]:
        """Workers for any function."""
        if self.runner == "local":
            return WorkerPool(
                function,
                workers=self.workers,
                setup=setup,
                limits=limits,
                retry=retry,
                batches=batches,
            )
        return RayPool(
            function,
            workers=self.workers,
            setup=setup,
            limits=limits,
            gpus=self.gpus,
            retry=retry,
            batches=batches,
        )

    def page_pool(self, reader: PageReader, engine: OcrBackend, limits: Limits) -> Pool[None]:
        """Workers that read pages with an engine, as many together as it asks for."""
        together = engine.pages_together() if "image" in engine.accepts else 1
        if together == 1:
            return self.pool(read_page, reader, limits)
        return BatchedPool(
            self.pool(read_pages, reader, limits, retry=False, batches=True), together
        )
