"""What was found out about a chat server, and the settings that follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One thing that was checked. ``works`` is None where it was not found out."""

    topic: str
    works: bool | None
    words: str


@dataclass
class Report:
    """What was found, and the parameters to use that differ from the defaults."""

    model: str
    findings: list[Finding] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)

    def add(self, topic: str, works: bool | None, words: str) -> None:
        """Add a finding."""
        self.findings.append(Finding(topic, works, words))

    @property
    def answers(self) -> bool:
        """Whether the server answers a question."""
        return any(finding.topic == "answer" and finding.works for finding in self.findings)
