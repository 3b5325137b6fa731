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
    is_spent: bool = False
    """Whether nothing more may be asked for."""
    _most_each: dict[str, float] = field(default_factory=dict)
    """By reader or system, the most that an answer may cost."""
    _at_once: dict[str, int] = field(default_factory=dict)

    @property
    def is_limited(self) -> bool:
        return self.most is not None

    def expect(self, label: str, most_each: float, reader: Reader) -> None:
        """Reserve what a reader's answers under way may cost, each ``most_each`` at most."""
        self._at_once[label] = reader.at_once if isinstance(reader, Chat) else 1
        self._most_each[label] = max(self._most_each.get(label, 0.0), most_each)

    def add(self, label: str, usage: dict[str, float], remaining: int) -> bool:
        """Add an answer's cost; whether none of the ``remaining`` answers may be asked for."""
        cost = usage.get("cost", 0.0)
        self.spent += cost
        self._most_each[label] = max(self._most_each.get(label, 0.0), cost)
        return self._is_spent_up(label, remaining)

    def check(self, label: str, remaining: int) -> None:
        """Raise ConfigError if none of the ``remaining`` answers may be asked for."""
        if self._is_spent_up(label, remaining):
            self.stop()

    def stop(self) -> None:
        """Raise ConfigError, which says what was spent."""
        raise ConfigError(
            f"max_cost: {self.spent:.4f} of {self.most:g} is spent, and the next answers may cost "
            "more than the rest: give a higher max_cost and run the same command again, which "
            "continues from here"
        )

    def _is_spent_up(self, label: str, remaining: int) -> bool:
        under_way = min(self._at_once.get(label, 1), remaining)
        reserve = under_way * self._most_each.get(label, 0.0)
        return self.most is not None and reserve > 0 and self.spent + reserve > self.most
