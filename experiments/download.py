"""Fetches a dataset from the Hugging Face Hub, when asked to and never otherwise.

``python -m experiments.download ohrbench --out DIR`` (or ``owner/name``, any dataset there)
writes its files and ``source.json``, which names the commit. ``HF_ENDPOINT`` names a mirror.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from experiments._command import command
from ohr.errors import MissingDependencyError, OhrError
from ohr.store.atomic import write_text

DATASETS = {"ohrbench": "opendatalab/OHR-Bench"}


@command("Fetch a dataset from the Hugging Face Hub.")
def main(
    name: Annotated[str, typer.Argument(help="ohrbench, or owner/name of a dataset on the Hub.")],
    out: Annotated[Path, typer.Option(help="Folder for the files.")],
    revision: Annotated[str, typer.Option(help="Branch, tag or commit.")] = "main",
    include: Annotated[
        list[str] | None, typer.Option(help="Only files like this, as 'data/*.json'; repeat.")
    ] = None,
) -> int:
    """Download."""
    return _run(name, out, revision, include)


def _run(name: str, out: Path, revision: str, include: list[str] | None) -> int:
    repository = DATASETS.get(name, name)
    if repository.count("/") != 1:
        raise OhrError(f"unknown dataset {name!r}; known: {', '.join(DATASETS)}, or owner/name")
    commit = download(repository, out, revision, include)
    print(f"{repository} at {commit}: {out}")
    for path in sorted(out.rglob("*.zip")):
        print(f"packed: python -m zipfile -e {path} {path.parent}")
    return 0


def download(repository: str, out: Path, revision: str, include: list[str] | None = None) -> str:
    """Fetch a dataset's files into a folder; returns the commit that they are from.

    Raises MissingDependencyError without huggingface_hub, OhrError if the files cannot be had.
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
            raise OhrError(f"{repository} does not say which commit {revision!r} is")
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


if __name__ == "__main__":
    main()
