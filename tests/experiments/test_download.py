"""The Hub is played by a server on this machine."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import ROOT

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "README.md": b"# a dataset\n",
    "data/qas_v2.json": b"[]\n",
    "retrieval.zip": b"PK\x05\x06" + bytes(18),
}


class Hub(BaseHTTPRequestHandler):
    """As much of the Hub as ``snapshot_download`` asks for."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/api/datasets/owner/name/revision/"):
            listed = [{"rfilename": name} for name in FILES]
            self._json({"id": "owner/name", "sha": COMMIT, "siblings": listed})
        elif path.startswith("/api/datasets/owner/name/tree/"):
            self._json(
                [
                    {"type": "file", "path": name, "size": len(data), "oid": _digest(data)}
                    for name, data in FILES.items()
                ]
            )
        elif path.startswith(prefix := f"/datasets/owner/name/resolve/{COMMIT}/"):
            data = FILES[path.removeprefix(prefix)]
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("ETag", f'"{_digest(data)}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
            if body:
                self.wfile.write(data)
        else:
            self.send_error(404)

    def _json(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


@pytest.fixture
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def download(*arguments: str, endpoint: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "experiments.dataset_download", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_files_come_with_their_commit(hub, tmp_path):
    pytest.importorskip("huggingface_hub")
    out = tmp_path / "my data"
    done = download("owner/name", "--out", str(out), endpoint=hub, home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    assert {name: (out / name).read_bytes() for name in FILES} == FILES
    assert json.loads((out / "source.json").read_text())["commit"] == COMMIT
    assert f"python -m zipfile -e '{out / 'retrieval.zip'}' '{out}'" in done.stdout


@pytest.mark.slow
def test_some_of_the_files(hub, tmp_path):
    pytest.importorskip("huggingface_hub")
    arguments = ["owner/name", "--out", str(tmp_path / "data"), "--include", "data/*.json"]
    done = download(*arguments, endpoint=hub, home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data" / "data" / "qas_v2.json").exists()
    assert not (tmp_path / "data" / "README.md").exists()


@pytest.mark.slow
def test_what_is_not_there_is_one_line(hub, tmp_path):
    pytest.importorskip("huggingface_hub")
    done = download("owner/other", "--out", str(tmp_path), endpoint=hub, home=tmp_path / "home")
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot fetch owner/other")
    assert done.stderr.count("\n") == 1


def test_without_the_hub_it_says_how_to_install_it(monkeypatch, tmp_path):
    from experiments.convert.hub import download as fetch
    from ohr.errors import MissingDependencyError

    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'ohr\[hub\]'"):
        fetch("owner/name", tmp_path, "main")


def test_only_named_datasets_are_fetched(tmp_path):
    done = download("other", "--out", str(tmp_path), endpoint="http://127.0.0.1:9", home=tmp_path)
    assert done.returncode == 2
    assert "unknown dataset 'other'; known: ohrbench" in done.stderr
