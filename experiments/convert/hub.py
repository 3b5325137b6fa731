"""Downloads datasets from the Hugging Face Hub."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from ohr.errors import MissingDependencyError, OhrError, did_you_mean
from ohr.store.atomic import write_text

DATASETS = {"ohrbench": "opendatalab/OHR-Bench"}


def fetch_dataset(name: str, out: Path, revision: str, include: list[str] | None) -> int:
    """Fetch a dataset; print its commit, and how to unpack its archives. Raises OhrError."""
    repository = DATASETS.get(name, name)
    if repository.count("/") != 1:
        raise OhrError(f"unknown dataset {name!r}; {did_you_mean(name, DATASETS)}, or owner/name")
    commit = download(repository, out, revision, include)
    print(f"{repository} at {commit}: {out}")
    for path in sorted(out.rglob("*.zip")):
        unpack = ["python", "-m", "zipfile", "-e", str(path), str(path.parent)]
        print(f"packed: {shlex.join(unpack)}")
    return 0


def download(repository: str, out: Path, revision: str, include: list[str] | None = None) -> str:
    """Fetch a dataset's files into a folder; returns their commit.

    Raises MissingDependencyError without huggingface_hub, OhrError if the download fails.
    """
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.utils import HfHubHTTPError, HFValidationError
    except ImportError as error:
        raise MissingDependencyError(
            "huggingface_hub is not installed: pip install 'ohr[hub]'"
        ) from error
    try:
        commit: str | None = HfApi().dataset_info(repository, revision=revision).sha
        if commit is None:
            raise OhrError(f"{repository} does not name the commit of {revision!r}")
        snapshot_download(
            repository,
            repo_type="dataset",
            revision=commit,
            local_dir=out,
            allow_patterns=include,
        )
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise OhrError(f"cannot fetch {repository} at {revision}: {reason}") from error
    source = {"repository": repository, "revision": revision, "commit": commit}
    write_text(out / "source.json", json.dumps(source | {"include": include}, indent=2) + "\n")
    return commit
