"""Leases: which process works on what, in a folder that machines may share.

A lease is a symbolic link: if several processes create it at once, the file system lets one
succeed. The link points to its owner's file, whose modification time is the owner's heartbeat. The
age of a heartbeat is measured by the file system's own clock, with a file touched just now, since
the machines' clocks may differ. Leased work may still be done twice, for example if a process was
stopped for a minute and continues, so it must be safe to repeat.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from ohr.store.atomic import disk_of, write_text

BEAT_S = 10.0
"""Seconds between two heartbeats."""
STALE_S = 60.0
"""Seconds without a heartbeat after which an owner counts as gone."""
FORGOTTEN_S = 3600.0
"""Seconds without a heartbeat after which an owner's files are removed."""
_OWNER = "owner-"
_NAME = re.compile(r"[0-9a-f]{1,64}")
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""Errors of file systems without symbolic links."""

log = logging.getLogger("ohr.store")


class Leases:
    """The leases of one process, until its ``with`` block or the process ends.

    Names are hexadecimal digests. If a lease's owner is gone (no heartbeat, or known to be dead on
    this machine), another process takes the lease over by a link of the next generation, which
    again only one process can create.
    """

    def __init__(
        self,
        folder: Path,
        on_beat: Callable[[], None] = lambda: None,
        *,
        beat_s: float = BEAT_S,
        stale_s: float = STALE_S,
    ) -> None:
        """``on_beat`` is called with every heartbeat, from another thread."""
        self.folder = folder
        self._on_beat = on_beat
        self._beat_s, self._stale_s = beat_s, stale_s
        self._token = f"{_OWNER}{secrets.token_hex(8)}"
        self._held: dict[str, int] = {}
        self._has_no_links = False
        self._touched = float("-inf")
        self._now = 0.0
        self._end = threading.Event()

    def __enter__(self) -> Leases:
        self._write_owner()
        self._sweep()
        self._end.clear()
        self._thread = threading.Thread(target=self._beat, name="leases", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._thread.join()
        for name in list(self._held):
            self.release(name)
        with contextlib.suppress(OSError):
            self._owner.unlink(missing_ok=True)

    def take(self, name: str) -> bool:
        """Lease a name; False if it is already leased, also by this process. Raises StoreError."""
        if not _NAME.fullmatch(name):
            raise ValueError(f"not the name of a lease: {name!r}")
        if name in self._held:  # needed on file systems without symbolic links
            return False
        for generation in count():
            link = self._link(name, generation)
            if self._try_link(link):
                self._held[name] = generation
                return True
            if self._is_alive(link):
                return False
        raise AssertionError("generations never end")

    def release(self, name: str) -> None:
        """End a lease."""
        for generation in range(self._held.pop(name), -1, -1):
            with contextlib.suppress(OSError):
                self._link(name, generation).unlink(missing_ok=True)

    def owners(self) -> list[dict[str, Any]]:
        """The other processes at work in the folder: machine, process, seconds since heartbeat."""
        return [
            {"host": facts.get("host"), "pid": facts.get("pid"), "age_s": age}
            for path, facts, age in self._others()
            if age < self._stale_s and not _is_dead(facts)
        ]

    @property
    def _owner(self) -> Path:
        return self.folder / self._token

    def _link(self, name: str, generation: int) -> Path:
        return self.folder / f"{name}-{generation}"

    def _try_link(self, link: Path) -> bool:
        with disk_of(link):
            try:
                os.symlink(self._token, link)
            except FileExistsError:
                return False
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                if not self._has_no_links:
                    log.warning(
                        "%s is on a file system without symbolic links: processes that share it "
                        "may read the same pages twice",
                        self.folder,
                    )
                self._has_no_links = True
        return True

    def _write_owner(self) -> None:
        write_text(self._owner, json.dumps(this_process()) + "\n")

    def _beat(self) -> None:
        while not self._end.wait(self._beat_s):
            try:
                os.utime(self._owner)  # without a time: a file server then uses its own
            except FileNotFoundError:  # swept away while this process was stopped
                with contextlib.suppress(Exception):
                    self._write_owner()
            except OSError as error:
                log.warning("no heartbeat in %s: %s", self.folder, error.strerror)
            try:
                self._on_beat()
            except Exception:  # no error may stop the heartbeat
                log.warning("an action at a heartbeat failed", exc_info=True)

    def _clock(self) -> float:
        """The file system's time, from a file that is touched at most once a second."""
        since = time.monotonic() - self._touched
        if since > 1:
            with disk_of(self._owner):
                try:
                    os.utime(self._owner)
                except FileNotFoundError:
                    self._write_owner()
                self._now = os.stat(self._owner).st_mtime
            self._touched, since = time.monotonic(), 0.0
        return self._now + since

    def _is_alive(self, link: Path) -> bool:
        """Whether the owner of a link is at work; the link may have just been removed."""
        owner = _owner_of(link)
        if owner is None:
            return False
        facts, beaten = owner
        return not _is_dead(facts) and self._clock() - beaten < self._stale_s

    def _others(self) -> Iterator[tuple[Path, dict[str, Any], float]]:
        for path in self.folder.glob(f"{_OWNER}*"):
            owner = None if path.name == self._token else _owner_of(path)
            if owner is not None:
                yield path, owner[0], self._clock() - owner[1]

    def _sweep(self) -> None:
        """Remove the files of owners that are long gone."""
        gone = {
            path.name: path
            for path, facts, age in self._others()
            if age > FORGOTTEN_S or _is_dead(facts)
        }
        with contextlib.suppress(OSError):
            for link in self.folder.iterdir() if gone else ():
                if link.is_symlink() and os.readlink(link) in gone:
                    link.unlink(missing_ok=True)
            for path in gone.values():
                path.unlink(missing_ok=True)


def _owner_of(path: Path) -> tuple[dict[str, Any], float] | None:
    """The content of an owner's file, and when it was last touched; None if it is missing."""
    try:
        # Opening a file gets its current state from a file server; a cached state may be old.
        with path.open("rb") as stream:
            content, beaten = stream.read(), os.fstat(stream.fileno()).st_mtime
    except OSError:
        return None
    try:
        facts = json.loads(content)
    except ValueError:
        facts = {}
    return (facts if isinstance(facts, dict) else {}), beaten


def this_process() -> dict[str, Any]:
    """Facts that identify this process among those of all machines, while it lives."""
    machine = _machine()
    return {
        "host": os.uname().nodename,
        "pid": os.getpid(),
        "machine": machine,
        "started": _started(os.getpid()) if machine else "",
    }


def _is_dead(facts: dict[str, Any]) -> bool:
    """Whether a process is known to be dead, which is only possible on its own machine."""
    machine, started, pid = (facts.get(name) for name in ("machine", "started", "pid"))
    if not machine or machine != _machine() or not started or not isinstance(pid, int):
        return False
    try:
        return _started(pid) != str(started)
    except FileNotFoundError:
        return True
    except OSError:  # another user's
        return False


def _machine() -> str:
    """This boot of this machine, and the process namespace; "" if unknown."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}/{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process started, in the kernel's ticks; "" for one that has ended. Raises OSError."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
