"""The configuration of a study, from a YAML file and ``key=value`` arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from ohr.datasets.decoding import decode
from ohr.errors import ConfigError, did_you_mean
from ohr.files.bounded import read_bounded
from ohr.metrics.protocol import Protocol
from ohr.plugins.base import Plugin, first_error
from ohr.registry import PluginSpec
from ohr.study.yaml_values import MOST_CHARACTERS, parse_yaml
from ohr.types import Runner

Stage = Literal["ocr", "retrieval", "generation", "overall"]
MOST_HITS = 1_000_000
STAGES: tuple[Stage, ...] = ("ocr", "retrieval", "generation", "overall")
Spec = Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)]

_UNSEEN = ("workers", "runner", "worker_gpus", "cache", "retry_failed", "stop_after_failures")
"""Options that change no result."""
BUILT_IN = "rag"
"""The system that is made of a study's chunkers, retrievers and readers."""
DEFAULT_DRAWS = 3
"""How often noise is drawn where pages are few."""


def _listed(value: Any) -> Any:
    """A single value stands for a list of one."""
    single = isinstance(value, str | int | float | Mapping | PluginSpec | Plugin)
    return [value] if single or callable(value) else value


_LISTED = BeforeValidator(_listed)
Specs = Annotated[tuple[Spec, ...], _LISTED]
Names = Annotated[tuple[str, ...], _LISTED]
Intensities = Annotated[tuple[Annotated[float, Field(ge=0, le=1)], ...], _LISTED]
Seed = Annotated[int, Field(ge=0, lt=2**63 - DEFAULT_DRAWS)]
Stages = Annotated[tuple[Stage, ...], _LISTED]


class _Strict(BaseModel):
    # The docstrings of the fields are what ``--help`` and the documentation say of them.
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class DatasetConfig(_Strict):
    """Which questions are asked of which documents."""

    kind: str = "sample"
    """What the documents and questions are: sample (generated), ohrbench (files in the layout of
    OHR-Bench), folder (one's own PDFs), qasper (its papers), or a plug-in of one's own."""
    path: Path | None = None
    """Folder of the documents: retrieval_base of ohrbench, the PDFs of folder; the file of
    qasper."""
    questions: Path | None = None
    """File of the questions: the Q&A file of ohrbench (JSON), the CSV of folder."""
    pdfs: Path | None = None
    """Folder of the PDFs of ohrbench, for engines that read pages."""
    domains: Names = ()
    """Domains whose documents are loaded; empty: all of them."""
    documents: Names = ()
    """Documents that are re-read, and whose questions are asked; empty: all of them."""
    pages: Literal["all", "evidence"] = "all"
    """Which of their pages are re-read; the others keep their ground truth."""
    sources: Names = ()
    """Evidence sources of the questions that are asked, such as table; empty: all of them."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """At most so many questions, drawn with the seed; by default all of them."""
    skip: Annotated[int, Field(ge=0)] = 0
    """So many of the questions that would be drawn first are passed over: others than those of an
    earlier run with this limit."""
    even: bool = False
    """Draw as many questions of each domain and evidence source, as far as there are, those on one
    page together."""
    rewritten: Path | None = None
    """Other wordings of questions, a CSV with the columns qid and question, or JSON; only these
    are asked."""
    wording: Literal["rewritten", "original"] = "rewritten"
    """Which wording of these is asked."""
    verdicts: Path | None = None
    """File verdicts.json of a report's review: questions that are bad, or whose evidence is wrong,
    are left out and counted; --verdicts FILE is the same."""
    strict: bool = False
    """Stop on any problem in the dataset, where it would be reported and passed over."""
    params: dict[str, Any] = {}
    """Further parameters of this kind of dataset, such as n_pages of sample; python -m
    experiments.plugins dataset lists them."""


class StudyConfig(_Strict):
    """A study: every combination of engine, noise, retriever and reader."""

    dataset: DatasetConfig = DatasetConfig()
    """Which questions are asked of which documents."""
    dpi: int = Field(default=150, ge=30, le=1200)
    """Resolution at which PDFs are rendered, in dots an inch; page images are taken as they are,
    and distorted as if they were of it."""
    engines: Specs = Field(default=(PluginSpec(name="gt"),), min_length=1)
    """OCR engines that read the pages; gt is the ground truth, precomputed:FOLDER what others
    read. ohr list engines lists them."""
    noise: Specs = ()
    """Distortions of the page images, or formatting noise for their text; each is measured by
    itself, with the engines it applies to; others are measured on the clean pages. python -m
    experiments.plugins perturbation lists them. Empty: clean pages alone."""
    levels: Names | None = None
    """Named levels of the noise (mild, moderate, severe); by default all of them, or none where
    intensities are given."""
    intensities: Intensities = ()
    """Intensities of the noise, beside the levels or in place of them."""
    calibration: Path | None = None
    """File calibration.json of ohr run calibrate; r_noise and edit_distance need
    it."""
    r_noise: Intensities = ()
    """Wanted noise ratios, in place of intensities."""
    edit_distance: Intensities = ()
    """Wanted edit distances, in place of intensities."""
    ground_truth: bool = False
    """Also measure the clean ground truth, as the ceiling that the engines are held against; gt
    among engines that read distorted pages is the same."""
    chunkers: Specs = (PluginSpec(name="tokens"),)
    """How pages are cut into chunks; chunker=NAME names a single one."""
    retrievers: Specs = (PluginSpec(name="bm25"),)
    """What finds the chunks for a question."""
    readers: Specs = (PluginSpec(name="extractive"),)
    """What answers a question from the chunks; a language model with openai or transformers."""
    systems: Specs = (PluginSpec(name=BUILT_IN),)
    """Whole systems, for the stage overall: rag is made of every chunker, retriever and reader; any
    other is a plug-in."""
    scope: Literal["domain", "document"] = "domain"
    """What a question is asked of: the knowledge base of its domain, or of its document alone."""
    judge: Spec | None = None
    """A language model that says whether answers are right, as a further metric judged; by
    default none."""
    retry_failed: bool = False
    """Ask and read again what readers, judge, retrievers and engines failed at in an earlier run;
    an empty answer is no failure, and stands."""
    stages: Stages = Field(default=STAGES, min_length=1)
    """What is measured: the pages' text (ocr), the chunks that are found (retrieval), answers from
    the evidence pages (generation), and answers from the chunks that are found (overall)."""
    top_k: int = Field(default=2, ge=1, le=MOST_HITS)
    """Hits that the readers are given, and that retrieval is measured at."""
    ks: Annotated[tuple[Annotated[int, Field(ge=1, le=MOST_HITS)], ...], _LISTED] = ()
    """Further numbers of hits that retrieval is measured at."""
    scoring: Protocol = "default"
    """How is scored: by the toolkit's own rules, or as the published evaluation does
    (reference)."""
    metrics: Specs = Field(default=(PluginSpec(name="default"),), min_length=1)
    """What is measured: metrics by name or dotted path; default stands for the usual ones, reading
    for those of tables, formulas, regions and reading order of each page. python -m
    experiments.plugins metric lists them."""
    seed: Seed = 0
    """What all that is random is drawn with."""
    seeds: Annotated[tuple[Seed, ...], _LISTED] | None = None
    """Seeds of the draws of the noise, all in one run; by default three from seed on where fewer
    than 200 pages are re-read, else seed alone."""
    stop_after_failures: int = Field(default=20, ge=0)
    """Pages or questions that fail in a row for the same reason before a run stops, which it does
    sooner where a server refuses all from the first on; 0: never."""
    workers: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, le=1024)
    """Processes that read pages and, on Linux, score domains; by default one for each processor
    core."""
    runner: Runner = "local"
    """Where they run: on this machine, or on the nodes of a Ray cluster (RAY_ADDRESS), each with
    the same environment and folders."""
    worker_gpus: float = Field(default=0, ge=0, le=64)
    """How much of a GPU each takes with runner=ray; 0.5 puts two on one."""
    cache: Path = Path(".ohr-cache")
    """Folder in which readings and answers are kept: the same is never read twice."""
    page_cpu_s: float = Field(default=300, gt=0)
    """CPU seconds that reading one page may take before it counts as a timeout."""
    page_wall_s: float = Field(default=1800, gt=0)
    """Wall seconds after which a page counts as hung even if it uses no CPU."""
    bootstrap: int = Field(default=1000, ge=100, le=100_000)
    """Resamples where an interval needs them: of points of a curve that may never be reached."""

    @field_validator("seeds")
    @classmethod
    def _each_once(cls, seeds: tuple[int, ...] | None) -> tuple[int, ...] | None:
        if seeds is not None and not 0 < len(set(seeds)) == len(seeds):
            raise ValueError("give at least one seed, and each once")
        return seeds

    @model_validator(mode="after")
    def _gpus_of_a_cluster(self) -> StudyConfig:
        if self.worker_gpus and self.runner != "ray":
            raise ValueError("worker_gpus is for runner=ray; here every worker sees every GPU")
        return self

    @model_validator(mode="before")
    @classmethod
    def _one_chunker(cls, given: Any) -> Any:
        """``chunker`` names the only one."""
        if isinstance(given, Mapping) and "chunker" in given and "chunkers" not in given:
            return {("chunkers" if key == "chunker" else key): v for key, v in given.items()}
        return given

    @model_validator(mode="before")
    @classmethod
    def _earlier_name(cls, given: Any) -> Any:
        """``reading_metrics`` of earlier versions' configurations."""
        if isinstance(given, Mapping) and "reading_metrics" in given:
            kept = {key: value for key, value in given.items() if key != "reading_metrics"}
            return kept | ({"metrics": ["default", "reading"]} if given["reading_metrics"] else {})
        return given

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """Numbers of hits that retrieval is measured at, the readers' first."""
        return (self.top_k, *sorted(set(self.ks) - {self.top_k}))

    def one_draw(self) -> StudyConfig:
        """The same with the noise drawn once, for what shows pages and measures none."""
        return self.model_copy(update={"seeds": (self.seed,)})

    def identity(self) -> dict[str, Any]:
        """The configuration without what cannot change a result."""
        kept = self.model_dump(mode="json")
        for name in _UNSEEN:
            kept.pop(name)
        return kept


def load_config(arguments: Iterable[str], defaults: Mapping[str, Any] | None = None) -> StudyConfig:
    """Defaults, then a YAML file (an argument without ``=``), then ``key=value`` arguments.

    Keys are dotted (``dataset.kind=sample``), values are YAML (``"levels=[mild,severe]"``).
    Raises ConfigError with the key, the value and the mend.
    """
    merged: dict[str, Any] = {}
    _merge(merged, defaults or {})
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals:
            _merge(merged, _read_yaml(Path(argument)))
            continue
        node: dict[str, Any] = {}
        leaf = node
        *parents, last = key.split(".")
        for parent in parents:
            leaf = leaf.setdefault(parent, {})
        leaf[last] = _parse(argument, text)
        _merge(merged, node)
    return _validated(merged)


def make_config(options: Mapping[str, Any], file: Path | None = None) -> StudyConfig:
    """A YAML file, if there is one, then options. Raises ConfigError.

    ``dataset="sample"`` stands for ``dataset={"kind": "sample"}``.
    """
    merged: dict[str, Any] = {}
    if file is not None:
        _merge(merged, _read_yaml(file))
    given = dict(options)
    if isinstance(given.get("dataset"), str):
        given["dataset"] = {"kind": given["dataset"]}
    _merge(merged, given)
    return _validated(merged)


def _validated(options: Mapping[str, Any]) -> StudyConfig:
    try:
        return StudyConfig.model_validate(options)
    except ValidationError as error:
        raise ConfigError(f"configuration: {_explain(error)}") from error


def parse_plugin(kind: str, text: str) -> PluginSpec:
    """A plug-in as it is typed: ``tesseract``, or ``{name: tesseract, params: {psm: 6}}``.

    Raises ConfigError, which calls it by its kind.
    """
    try:
        value = parse_yaml(text)
    except ValueError as error:
        raise ConfigError(f"cannot read the {kind} {text!r}: it is not YAML: {error}") from error
    # YAML reads "name: value" as a mapping, but "name:value" as the text that it is.
    if not isinstance(value, str | dict):
        raise ConfigError(f"cannot read the {kind} {text!r}: it names no plug-in")
    return PluginSpec.parse(value)


def parse_plugins(kind: str, text: str) -> list[PluginSpec]:
    """Plug-ins as they are typed, separated by commas; each as :func:`parse_plugin` takes it.

    Raises ConfigError, also for a label that comes twice.
    """
    try:
        values = parse_yaml(f"[{text}]")
    except ValueError as error:
        raise ConfigError(f"cannot read the {kind}s {text!r}: not YAML: {error}") from error
    if not values or not all(isinstance(value, str | dict) for value in values):
        raise ConfigError(f"cannot read the {kind}s {text!r}: write them as a,b")
    specs = [PluginSpec.parse(value) for value in values]
    labels = [spec.label for spec in specs]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise ConfigError(f"{kind} {twice[0]!r} is given twice: give one another label")
    return specs


def _read_yaml(path: Path) -> Mapping[str, Any]:
    try:
        content = parse_yaml(decode(read_bounded(path, MOST_CHARACTERS)))
    except FileNotFoundError as error:
        raise ConfigError(f"no configuration file {path}; options are key=value") from error
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"cannot read {path} as YAML: {error}") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigError(f"{path} must hold key: value pairs, not a {type(content).__name__}")
    return content


def _parse(argument: str, text: str) -> Any:
    try:
        return parse_yaml(text) if text else None
    except ValueError as error:
        raise ConfigError(f"cannot read {argument!r}: the value is not YAML: {error}") from error


def _merge(into: dict[str, Any], update: Mapping[str, Any]) -> None:
    for key, value in update.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = dict(value) if isinstance(value, Mapping) else value


def _explain(error: ValidationError) -> str:
    problem = error.errors()[0]
    if problem["type"] != "extra_forbidden":
        return f"{first_error(error)} (got {problem.get('input')!r})"
    *parents, name = (str(part) for part in problem["loc"])
    model: type[BaseModel] = DatasetConfig if parents == ["dataset"] else StudyConfig
    parent = "".join(f"{part}." for part in parents)
    return f"unknown option {parent + name!r}; {did_you_mean(name, model.model_fields, parent)}"
