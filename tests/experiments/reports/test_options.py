"""The options of a study, as help and documentation list them."""

from __future__ import annotations

import pytest

from ohr.datasets.folder import FolderParams
from ohr.display.options import GROUPS, option_table
from ohr.plugins import DatasetParams
from ohr.study.config import DatasetConfig, StudyConfig


def option(key, defaults=None):
    table = option_table(defaults)
    return next(one for options in table.values() for one in options if one.key == key)


@pytest.mark.parametrize("model", [StudyConfig, DatasetConfig, DatasetParams, FolderParams])
def test_every_field_says_what_it_is(model):
    assert [name for name, field in model.model_fields.items() if not field.description] == []


def test_every_option_stands_in_one_group():
    keys = [key for group in GROUPS.values() for key in group]
    options = [name for name in StudyConfig.model_fields if name != "dataset"]
    options += [f"dataset.{name}" for name in DatasetConfig.model_fields]
    assert sorted(keys) == sorted(options)
    assert [one.key for group in option_table().values() for one in group] == keys


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "values", "default"),
    [
        ("dpi", "30 to 1200", "150"),
        ("top_k", "from 1", "2"),
        ("page_cpu_s", "above 0", "300"),
        ("intensities", "0 to 1", ""),
        ("dataset.pages", "all or evidence", "all"),
        ("dataset.limit", "from 1", ""),
        ("dataset.strict", "", "false"),
        ("engines", "", "gt"),
        ("stages", "ocr, retrieval, generation or overall", "ocr, retrieval, generation, overall"),
        ("workers", "1 to 1024", ""),
    ],
)
def test_values_and_defaults_are_those_of_the_model(key, values, default):
    assert (option(key).values, option(key).default) == (values, default)


def test_a_command_has_defaults_of_its_own():
    defaults = {"engines": [{"name": "gt", "params": {"tables": "html"}, "label": "as HTML"}]}
    assert option("engines", defaults).default == "as HTML"
    assert option("dataset.sources", {"dataset": {"sources": ["table"]}}).default == "table"
    assert option("dpi", defaults).default == "150"


def test_help_is_one_paragraph():
    assert option("dpi").help.endswith("as if they had this one. [30 to 1200; default: 150]")
    assert option("dataset.path").help.endswith("the file of qasper.")
