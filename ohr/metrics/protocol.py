"""The names of the two protocols; :mod:`ohr.metrics.scores` has what they compute."""

from typing import Literal

Protocol = Literal["default", "reference"]
