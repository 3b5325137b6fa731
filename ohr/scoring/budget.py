"""A limit of what the answers of a run may cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from ohr.errors import ConfigError
from ohr.plugins import Chat, Reader


@dataclass
class Budget:
    """Stops before ``most`` is spent: answers under way are reserved at the most that they cost.

    What a server reports counts, so tokens of thoughts beyond the limit of an answer may exceed it.
    """

    most: float | None = None
    spent: float = 0.0
    _reserves: dict[str, float] = field(default_factory=dict)
    """By reader or system, the most that its answers under way may cost together."""

    @property
    def is_limited(self) -> bool:
        return self.most is not None

    def expect(self, label: str, most_each: float, reader: Reader) -> None:
        """Reserve what a reader's answers under way may cost, each ``most_each`` at most."""
        at_once = reader.at_once if isinstance(reader, Chat) else 1
        self._reserves[label] = max(self._reserves.get(label, 0.0), at_once * most_each)

    def add(self, label: str, usage: dict[str, float]) -> bool:
        """Add an answer's cost; whether no further answer may be asked for."""
        cost = usage.get("cost", 0.0)
        self.spent += cost
        self._reserves[label] = max(self._reserves.get(label, 0.0), cost)
        return self._is_spent_up(label)

    def check(self, label: str) -> None:
        """Raise ConfigError if nothing more may be asked for."""
        if self._is_spent_up(label):
            self.stop()

    def stop(self) -> None:
        """Raise ConfigError, which says what was spent."""
        raise ConfigError(
            f"max_cost: {self.spent:.4f} of {self.most:g} is spent, and the next answers may cost "
            "more than the rest: give a higher max_cost and run the same command again, which "
            "continues from here"
        )

    def _is_spent_up(self, label: str) -> bool:
        reserve = self._reserves.get(label, 0.0)
        return self.most is not None and reserve > 0 and self.spent + reserve > self.most
