"""The configuration of a study, from a YAML file and ``key=value`` arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
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
from ohr.files.keys import hide_keys
from ohr.files.typed_lists import split_list
from ohr.metrics.protocol import Protocol
from ohr.plugins.base import Plugin, first_error
from ohr.plugins.trust import check_content
from ohr.registry import PluginSpec
from ohr.scoring.names import split_cut_offs
from ohr.study.option_values import holds_text, label_by_prompt, plugin_value, read_option
from ohr.study.yaml_values import MOST_CHARACTERS, parse_yaml
from ohr.types import Runner

Stage = Literal["ocr", "retrieval", "generation", "overall"]
MOST_HITS = 1_000_000
STAGES: tuple[Stage, ...] = ("ocr", "retrieval", "generation", "overall")
Spec = Annotated[PluginSpec, BeforeValidator(PluginSpec.parse)]

UNSEEN = (
    *("workers", "runner", "worker_gpus", "cache", "retry_failed", "stop_after_failures"),
    "max_cost",
)
"""Options that change no result."""
BUILT_IN = "rag"
"""The system that is made of a study's chunkers, retrievers and readers."""
DEFAULT_TOP_K = 2
"""As in the paper: the two best chunks of 1,024 tokens."""
DEFAULT_DRAWS = 3
"""How often noise is drawn where pages are few."""
_AMOUNTS = ("levels", "intensities", "r_noise", "edit_distance")


def _listed(value: Any) -> Any:
    """A list; a single value becomes a list of one."""
    single = isinstance(value, str | int | float | Mapping | PluginSpec | Plugin)
    return [value] if single or callable(value) else value


def _expand_home(value: Any) -> Any:
    """``~/data`` is a folder of the user's own."""
    return os.path.expanduser(value) if isinstance(value, str | Path) else value


_LISTED = BeforeValidator(_listed)
UserPath = Annotated[Path, BeforeValidator(_expand_home)]
Specs = Annotated[tuple[Spec, ...], _LISTED]
Names = Annotated[tuple[str, ...], _LISTED]
Intensities = Annotated[tuple[Annotated[float, Field(ge=0, le=1)], ...], _LISTED]
Seed = Annotated[int, Field(ge=0, lt=2**63 - DEFAULT_DRAWS)]
Stages = Annotated[tuple[Stage, ...], _LISTED]


class _Strict(BaseModel):
    # ``--help`` and the documentation show the docstrings of the fields.
    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, hide_input_in_errors=True
    )


class DatasetConfig(_Strict):
    """Which questions are asked of which documents."""

    kind: str = "sample"
    """Kind of dataset: sample (generated), ohrbench (files in the layout of OHR-Bench), folder
    (your PDFs), qasper (its papers), or your plug-in."""
    path: UserPath | None = None
    """Folder of the documents: retrieval_base of ohrbench, the PDFs of folder; the file of
    qasper."""
    questions: UserPath | None = None
    """File of the questions: the Q&A file of ohrbench (JSON), the CSV of folder."""
    pdfs: UserPath | None = None
    """Folder of the PDFs of ohrbench, for engines that read pages."""
    domains: Names = ()
    """Domains whose documents are loaded; empty: all of them."""
    documents: Names = ()
    """Documents that the engines read and whose questions are asked; empty: all of them."""
    pages: Literal["all", "evidence"] = "all"
    """Pages that the engines read; the others keep their ground truth."""
    sources: Names = ()
    """Evidence sources of the questions to ask, such as table; empty: all of them."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """Largest number of questions, drawn with the seed; by default all of them."""
    skip: Annotated[int, Field(ge=0)] = 0
    """Number of questions to skip in the drawn order, to ask others than an earlier run with a
    limit."""
    even: bool = False
    """Draw the same number of questions from each domain and evidence source, as far as possible;
    those on one page are drawn together."""
    rewritten: UserPath | None = None
    """File with other wordings of questions: a CSV with the columns qid and question, or JSON. Only
    these questions are asked."""
    wording: Literal["rewritten", "original"] = "rewritten"
    """Which wording of them to ask."""
    verdicts: UserPath | None = None
    """File verdicts.json of a report's review: bad questions and those with wrong evidence are left
    out and counted."""
    strict: bool = False
    """Stop at any problem in the dataset; by default problems are reported and skipped."""
    params: dict[str, Any] = {}
    """Further parameters of this kind of dataset, such as n_pages of sample; ohr list plugins
    dataset lists them."""


class StudyConfig(_Strict):
    """A study: every combination of engine, noise, retriever and reader."""

    dataset: DatasetConfig = DatasetConfig()
    """Which questions are asked of which documents."""
    dpi: int = Field(default=150, ge=30, le=1200)
    """Resolution at which PDFs are rendered, in dots per inch; page images keep theirs, and are
    distorted as if they had this one."""
    engines: Specs = Field(default=(PluginSpec(name="gt"),), min_length=1)
    """OCR engines that read the pages; gt is the ground truth, precomputed:FOLDER the output of
    another tool. ohr list engines lists them."""
    noise: Specs = ()
    """Distortions of the page images, or formatting noise for the text. Each is measured alone,
    with the engines it applies to; other engines are measured on clean pages. ohr list plugins
    perturbation lists them. Empty: clean pages only."""
    levels: Names | None = None
    """Named levels of the noise (mild, moderate, severe); by default all of them, or none where
    intensities are given."""
    intensities: Intensities = ()
    """Intensities of the noise, in addition to levels or instead of them."""
    calibration: UserPath | None = None
    """File calibration.json of ohr run calibrate; r_noise and edit_distance need it."""
    r_noise: Intensities = ()
    """Wanted noise ratios, instead of intensities."""
    edit_distance: Intensities = ()
    """Wanted edit distances, instead of intensities."""
    ground_truth: bool = False
    """Also measure the clean ground truth, as the ceiling for the engines; gt among engines that
    read distorted pages does the same."""
    chunkers: Specs = (PluginSpec(name="tokens"),)
    """Plug-ins that split pages into chunks."""
    retrievers: Specs = (PluginSpec(name="bm25"),)
    """Plug-ins that find the chunks for a question."""
    readers: Annotated[Specs, AfterValidator(label_by_prompt)] = (PluginSpec(name="extractive"),)
    """Plug-ins that answer a question from the chunks; openai and transformers use a language
    model."""
    read_from: Names = ()
    """Engines, by label, whose page texts readers also get: hits are searched in each other
    engine's texts, and answers are read from the same places of these. For the stage overall."""
    systems: Specs = (PluginSpec(name=BUILT_IN),)
    """Systems, for the stage overall: rag combines every chunker, retriever and reader; any other
    is a plug-in."""
    scope: Literal["domain", "document"] = "domain"
    """What to search for a question: all documents of its domain, or its document only."""
    judge: Spec | None = None
    """Language model that says whether answers are right, for the metric judged; by default
    none."""
    repeats: int = Field(default=1, ge=1, le=100)
    """How often each question is put to readers and the judge, each time with another seed; scores
    are means over the repeats. Those that always answer alike are asked once."""
    retry_failed: bool = False
    """Try again what engines, retrievers, readers and the judge failed at in an earlier run; an
    empty answer is not a failure, and is kept."""
    stages: Stages = Field(default=STAGES, min_length=1)
    """What to measure: page text (ocr), retrieved chunks (retrieval), answers from the evidence
    pages (generation), and answers from the retrieved chunks (overall)."""
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MOST_HITS)
    """Number of hits that readers get, and at which retrieval is measured."""
    ks: Annotated[tuple[Annotated[int, Field(ge=1, le=MOST_HITS)], ...], _LISTED] = ()
    """Further numbers of hits at which retrieval is measured."""
    scoring: Protocol = "default"
    """Rules of scoring: the toolkit's (default), or those of the published evaluation
    (reference)."""
    metrics: Specs = Field(default=(PluginSpec(name="default"),), min_length=1)
    """Metrics, by name or dotted path; default means the usual ones, reading those of tables,
    formulas, regions and reading order of each page. ohr list plugins metric lists them."""
    seed: Seed = 0
    """Seed of everything that is random."""
    seeds: Annotated[tuple[Seed, ...], _LISTED] | None = None
    """Seeds of the draws of the noise, all in one run; by default three from seed on if fewer than
    200 pages are read, else only seed."""
    stop_after_failures: int = Field(default=20, ge=0)
    """Stop after so many pages or questions in a row that fail for the same reason, and sooner if a
    server refuses every request; 0: never."""
    max_cost: float | None = Field(default=None, ge=0)
    """Most that this run's pages, embeddings and answers may cost, in the currency of their prices;
    the run stops before it would cost more. By default there is no limit."""
    workers: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1, le=1024)
    """Processes that read pages and, on Linux, score domains; by default one per processor core."""
    runner: Runner = "local"
    """Where workers run: on this machine, or on the nodes of a Ray cluster (RAY_ADDRESS) with the
    same environment and folders."""
    worker_gpus: float = Field(default=0, ge=0, le=64)
    """Share of a GPU per worker with runner=ray; 0.5 puts two workers on one GPU."""
    cache: UserPath = Path(".ohr-cache")
    """Folder that keeps OCR output and answers, so that nothing is computed twice."""
    page_cpu_s: float = Field(default=300, gt=0)
    """CPU seconds that a page may take before it counts as a timeout."""
    page_wall_s: float = Field(default=1800, gt=0)
    """Wall seconds that a page may take before it counts as a timeout, even if it uses no CPU."""
    bootstrap: int = Field(default=1000, ge=100, le=100_000)
    """Resamples for intervals that need them: of points of a curve that may never be reached."""

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
    def _cut_offs(cls, options: Any) -> Any:
        """``metrics=[lcs@5]`` is ``metrics=[lcs] ks=[5]``: names as ir_measures writes them."""
        metrics = _listed(options.get("metrics")) if isinstance(options, Mapping) else None
        if not isinstance(metrics, Sequence) or not any("@" in str(value) for value in metrics):
            return options
        names, numbers = split_cut_offs(metrics)
        ks = _listed(options.get("ks")) or ()
        more = [k for k in numbers if k not in (*ks, options.get("top_k", DEFAULT_TOP_K))]
        return {**options, "metrics": names, "ks": [*ks, *more]}

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """Numbers of hits at which retrieval is measured, the readers' number first."""
        return (self.top_k, *sorted(set(self.ks) - {self.top_k}))

    def one_draw(self) -> StudyConfig:
        """The same with one draw of the noise, for commands that show pages and measure nothing."""
        return self.model_copy(update={"seeds": (self.seed,)})

    def identity(self) -> dict[str, Any]:
        """The configuration without the options that cannot change a result."""
        options = self.model_dump(mode="json")
        for name in UNSEEN:
            options.pop(name)
        return options


def option_type(key: str) -> Any:
    """The type of an option's field, by its dotted key; None where there is no such option.

    The parameters of a dataset are of any type: they are checked with the dataset, which knows
    them.
    """
    parent, _, last = key.rpartition(".")
    if parent == "dataset.params" and last:
        return Any
    models: dict[str, type[BaseModel]] = {"": StudyConfig, "dataset": DatasetConfig}
    field = models[parent].model_fields.get(last) if parent in models else None
    return None if field is None else field.annotation


def load_config(arguments: Iterable[str], defaults: Mapping[str, Any] | None = None) -> StudyConfig:
    """Defaults, then a YAML file (an argument without ``=``), then ``key=value`` arguments.

    Keys are dotted (``dataset.kind=sample``). Values are as :func:`read_option` reads them: lists
    have commas or come several times, other options come once. Raises ConfigError with the key,
    the value and the fix, and UntrustedCodeError if the file names code of the working folder.
    """
    return config_of(given_options(arguments), defaults)


def given_options(arguments: Iterable[str]) -> dict[str, Any]:
    """What YAML files and ``key=value`` arguments set, without defaults. Raises ConfigError."""
    options: dict[str, Any] = {}
    texts: dict[str, list[str]] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if equals:
            texts.setdefault(key, []).append(text)
        else:
            _merge(options, _read_yaml(Path(argument)))
    for key, values in texts.items():
        node: dict[str, Any] = {}
        leaf = node
        *parents, last = key.split(".")
        for parent in parents:
            leaf = leaf.setdefault(parent, {})
        leaf[last] = read_option(key, option_type(key) or Any, values)
        _merge(options, node)
    return options


def config_of(options: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> StudyConfig:
    """The configuration of given options and a command's defaults. Raises ConfigError."""
    merged: dict[str, Any] = {}
    _merge(merged, _fitting_defaults(defaults or {}, options))
    _merge(merged, options)
    return _validated(merged)


def _fitting_defaults(defaults: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults without amounts of noise, if the options set one or leave noise out."""
    sets_amounts = any(name in options for name in _AMOUNTS)
    if not sets_amounts and options.get("noise", True) not in ([], None):
        return dict(defaults)
    return {name: value for name, value in defaults.items() if name not in _AMOUNTS}


def make_config(options: Mapping[str, Any], file: Path | None = None) -> StudyConfig:
    """A YAML file, if there is one, then options. Raises ConfigError.

    ``dataset="sample"`` stands for ``dataset={"kind": "sample"}``.
    """
    merged: dict[str, Any] = {}
    if file is not None:
        _merge(merged, _read_yaml(file))
    settings = dict(options)
    if isinstance(settings.get("dataset"), str):
        settings["dataset"] = {"kind": settings["dataset"]}
    _merge(merged, settings)
    return _validated(merged)


def _validated(options: Mapping[str, Any]) -> StudyConfig:
    try:
        return StudyConfig.model_validate(options)
    except ValidationError as error:
        raise ConfigError(f"configuration: {_explain(error)}") from error


def parse_plugin(kind: str, text: str) -> PluginSpec:
    """Parse a plug-in as a user types it: ``tesseract`` or ``{name: tesseract, params: {…}}``.

    Raises ConfigError, which names the kind.
    """
    return PluginSpec.parse(plugin_value(kind, text))


def parse_plugins(kind: str, text: str) -> list[PluginSpec]:
    """Parse plug-ins that are separated by commas, each as in :func:`parse_plugin`.

    Raises ConfigError, also for a label that comes twice.
    """
    items = split_list(text)
    if any(item == "" or item.startswith("[") for item in items):
        raise ConfigError(f"cannot read the {kind}s {text!r}: write them as a,b")
    specs = [parse_plugin(kind, item) for item in items]
    labels = [spec.label for spec in specs]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise ConfigError(f"{kind} {twice[0]!r} is given twice: set a label for one of them")
    return specs


def _read_yaml(path: Path) -> Mapping[str, Any]:
    try:
        text = decode(read_bounded(path, MOST_CHARACTERS))
        content = parse_yaml(text, is_text=lambda key: holds_text(option_type(key)))
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
    check_content(content, path)
    return content


def _merge(into: dict[str, Any], update: Mapping[str, Any]) -> None:
    for key, value in update.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = dict(value) if isinstance(value, Mapping) else value


def _explain(error: ValidationError) -> str:
    problem = error.errors()[0]
    if problem["type"] != "extra_forbidden":
        return hide_keys(f"{first_error(error)} (got {problem.get('input')!r})")
    *parents, name = (str(part) for part in problem["loc"])
    model: type[BaseModel] = DatasetConfig if parents == ["dataset"] else StudyConfig
    parent = "".join(f"{part}." for part in parents)
    return f"unknown option {parent + name!r}; {did_you_mean(name, model.model_fields, parent)}"
