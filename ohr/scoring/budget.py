"""A limit of what a run may pay for: pages, embeddings and answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from ohr.errors import ConfigError


@dataclass
class Budget:
    """Stops before ``most`` is spent: answers and pages under way are reserved at the most that one
    has cost, or is known to cost.

    What a server reports counts, so tokens of thoughts beyond the limit of an answer may exceed it.
    """

    most: float | None = None
    spent: float = 0.0
    is_spent: bool = False
    """Whether nothing more may be asked for."""
    _most_each: dict[str, float] = field(default_factory=dict)
    """By reader, system or engine, the most that an answer or a page may cost."""
    _at_once: dict[str, int] = field(default_factory=dict)

    @property
    def is_limited(self) -> bool:
        return self.most is not None

    def expect(self, label: str, most_each: float, at_once: int) -> None:
        """Reserve what ``at_once`` answers or pages may cost, each ``most_each`` at most."""
        self._at_once[label] = at_once
        self._most_each[label] = max(self._most_each.get(label, 0.0), most_each)

    def add(self, label: str, usage: dict[str, float], remaining: int) -> bool:
        """Add an answer's cost; whether none of the ``remaining`` answers may be asked for."""
        cost = usage.get("cost", 0.0)
        self.spent += cost
        self._most_each[label] = max(self._most_each.get(label, 0.0), cost)
        return self._is_spent_up(label, remaining)

    def check(self, label: str, remaining: int, what: str = "answers") -> None:
        """Raise ConfigError if none of the ``remaining`` answers, or pages, may be asked for."""
        if self._is_spent_up(label, remaining):
            self.stop(what)

    def check_affordable(self, label: str, cost: float) -> None:
        """Raise ConfigError if a request that costs so much would exceed what is left."""
        if self.most is not None and self.spent + cost > self.most:
            self.stop(f"requests of {label!r}")

    def spend(self, label: str, cost: float) -> None:
        """Note what was paid."""
        self.spent += cost

    def stop(self, what: str = "answers") -> None:
        """Raise ConfigError, which says what was spent and ``what`` would have to be paid next."""
        raise ConfigError(
            f"max_cost: {self.spent:.4f} of {self.most:g} is spent, and the next {what} may cost "
            "more than the rest: give a higher max_cost and run the same command again, which "
            "continues from here"
        )

    def _is_spent_up(self, label: str, remaining: int) -> bool:
        under_way = min(self._at_once.get(label, 1), remaining)
        reserve = under_way * self._most_each.get(label, 0.0)
        return self.most is not None and reserve > 0 and self.spent + reserve > self.most
