"""Distributes requests over several servers of one model, with a limit for each.

A dead server is left out for a while. The processes of a run share their state in a folder: for
each request in progress a file is locked, and for each dead server there is a file. The locks of a
killed process are released, and its other files expire.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, TextIO

from ohr.errors import EngineError, LateError, MissingDependencyError
from ohr.models.http import Endpoint, PausedError, TroubledError, UnreachedError
from ohr.store.identity import digest

DOWN_S = 30.0
"""Seconds for which a dead server is left out; then it is tried again."""
POLL_S = 0.05
_TURN = count()


@dataclass(frozen=True)
class Servers:
    """``endpoints`` of the same model; ``at_once``: most simultaneous requests to each."""

    endpoints: tuple[Endpoint, ...]
    at_once: int | None

    def post(self, body: object) -> Any:
        """The JSON answer of the first server that gives one.

        If a server cannot be reached, has an error, asks for a long wait or does not answer in
        time, the request goes to the next server. The last one is retried as in
        :meth:`Endpoint.post`, and raises its errors.
        """
        if len(self.endpoints) == 1 and self.at_once is None:
            return self.endpoints[0].post(body)
        remaining = list(self.endpoints)
        while True:
            with self._free(remaining) as endpoint:
                remaining.remove(endpoint)
                hasty = replace(endpoint, retries=0) if remaining else endpoint
                try:
                    answer = hasty.send(body)
                except (UnreachedError, PausedError, TroubledError, LateError) as error:
                    self._note(endpoint, down=True)
                    if not remaining:
                        raise _plain(error) from error
                    continue
                self._note(endpoint, down=False)
                return answer

    @contextmanager
    def _free(self, endpoints: Sequence[Endpoint]) -> Iterator[Endpoint]:
        """Wait for an endpoint with room for a request, and reserve it during the block."""
        while True:
            for endpoint in self._sort_by_health(endpoints):
                if self.at_once is None:
                    yield endpoint
                    return
                for number in range(self.at_once):
                    file = _locked(self._file(endpoint, f"{number}"))
                    if file is not None:
                        with file:
                            yield endpoint
                        return
            time.sleep(POLL_S)

    def _sort_by_health(self, endpoints: Sequence[Endpoint]) -> list[Endpoint]:
        """The live endpoints in turn; if there are none, the dead ones."""
        start = (os.getpid() + next(_TURN)) % len(endpoints)
        turned = [*endpoints[start:], *endpoints[:start]]
        alive = [endpoint for endpoint in turned if not self._is_down(endpoint)]
        return alive or turned

    def _is_down(self, endpoint: Endpoint) -> bool:
        try:
            return time.time() - self._file(endpoint, "down").stat().st_mtime < DOWN_S
        except OSError:
            return False

    def _note(self, endpoint: Endpoint, *, down: bool) -> None:
        file = self._file(endpoint, "down")
        with suppress(OSError):
            if down:
                file.touch()
                os.utime(file)
            else:
                file.unlink(missing_ok=True)

    def _file(self, endpoint: Endpoint, what: str) -> Path:
        return _folder() / f"{digest(endpoint.url)}.{what}"


def _folder() -> Path:
    """A folder of this user in the folder of temporary files, shared by the run's processes."""
    folder = Path(tempfile.gettempdir()) / f"ohr-servers-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise MissingDependencyError(f"{folder} is not yours: set TMPDIR to a folder that is")
    return folder


def _locked(path: Path) -> TextIO | None:
    """The file, locked until it is closed; None if another process has locked it."""
    file = path.open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _plain(error: Exception) -> Exception:
    """The error as :meth:`Endpoint.post` would raise it."""
    if isinstance(error, (UnreachedError, PausedError)):
        return MissingDependencyError(str(error))
    return error if isinstance(error, LateError) else EngineError(str(error))
