"""How long shards of a cluster take to read many pages: a simulation, page by page.

    python -m benchmarks.cluster [PAGES] [--slots 64] [--seconds 0.5] [--spread 0.6]

Pages take a log-normal time (mean ``--seconds``, ``--spread`` its sigma; measured on the sample's
pages: about .6 for Tesseract), ``--failing`` of them hang until the wall limit, and once more at
the shard's end; ``--starting`` seconds go by before a slot reads its first page; a slot dies after
``--lasting`` hours on average and comes back ``--requeue`` seconds later, with its page to be read
again. Printed: wall time, and the share of slot time that reads pages, for

- ``shards``: every slot reads its own pages, and ends,
- ``stolen``: then those of others (``--steal``), which it takes when nobody holds them.
"""

from __future__ import annotations

import argparse
import heapq
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cluster:
    """What is simulated; times in seconds."""

    pages: int
    slots: int
    mean: float
    spread: float
    failing: float
    wall: float
    starting: float
    lasting: float
    requeue: float
    stale: float = 60.0


@dataclass(frozen=True)
class Ended:
    """When the last page was stored, and the share of slots' time that pages were read in."""

    seconds: float
    busy: float
    again: int
    """Pages that were read twice, because a slot died on them."""


def drawn(cluster: Cluster, rng: np.random.Generator) -> np.ndarray:
    """Seconds of each page; one that fails takes the wall limit, twice."""
    location = np.log(cluster.mean) - cluster.spread**2 / 2
    seconds = rng.lognormal(location, cluster.spread, cluster.pages)
    return np.where(rng.random(cluster.pages) < cluster.failing, 2 * cluster.wall, seconds)


def simulated(cluster: Cluster, *, steal: bool, seed: int = 0) -> Ended:
    """One run. Pages are given out in steps of a slot's life: until it dies, or has none left."""
    rng = np.random.default_rng(seed)
    seconds = drawn(cluster, rng)
    shard_of = rng.integers(0, cluster.slots, cluster.pages)
    order = np.argsort(shard_of, kind="stable")
    starts = np.searchsorted(shard_of[order], np.arange(cluster.slots + 1))
    queues = [order[starts[n] : starts[n + 1]] for n in range(cluster.slots)]
    if steal:  # whoever is free takes what nobody holds: as one queue
        queues = [np.concatenate(queues)]
    at = [0] * len(queues)
    busy, last, again = 0.0, 0.0, 0
    death = [rng.exponential(cluster.lasting) for _ in range(cluster.slots)]
    free = [(cluster.starting, slot) for slot in range(cluster.slots)]
    heapq.heapify(free)
    left: list[tuple[float, float, int]] = []  # (when it may be taken, seconds, queue)
    while free:
        now, slot = heapq.heappop(free)
        queue = 0 if steal else slot
        page = None
        for place, (ready, _, of) in enumerate(left):
            if of == queue and ready <= now:
                page = left.pop(place)[1]
                break
        if page is None and at[queue] < len(queues[queue]):
            page = float(seconds[queues[queue][at[queue]]])
            at[queue] += 1
        if page is None:
            later = [ready for ready, _, of in left if of == queue]
            if later:
                heapq.heappush(free, (max(min(later), now), slot))
            continue
        end = now + page
        if end > death[slot]:
            again += 1
            # The slot itself knows at its return that its predecessor is dead; others wait.
            back = death[slot] + cluster.requeue + cluster.starting
            left.append((min(death[slot] + cluster.stale, back) if steal else back, page, queue))
            busy += death[slot] - now
            death[slot] = back + rng.exponential(cluster.lasting)
            heapq.heappush(free, (back, slot))
            continue
        busy += page
        last = max(last, end)
        heapq.heappush(free, (end, slot))
    return Ended(last, busy / (last * cluster.slots), again)


def main() -> None:
    """Print one row per way of sharing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--spread", type=float, default=0.6)
    parser.add_argument("--failing", type=float, default=0.0001)
    parser.add_argument("--wall", type=float, default=300)
    parser.add_argument("--starting", type=float, default=90)
    parser.add_argument("--lasting", type=float, default=200, help="hours")
    parser.add_argument("--requeue", type=float, default=600)
    given = parser.parse_args()
    cluster = Cluster(
        given.pages, given.slots, given.seconds, given.spread, given.failing, given.wall,
        given.starting, given.lasting * 3600, given.requeue,
    )  # fmt: skip
    best = float(drawn(cluster, np.random.default_rng(0)).sum()) / cluster.slots
    print(f"{cluster}")
    print(f"{'':<10}{'hours':>10}{'busy':>8}{'read twice':>12}")
    print(f"{'at best':<10}{best / 3600:>10.2f}{1:>8.1%}{0:>12}")
    for name, steal in (("shards", False), ("stolen", True)):
        ended = simulated(cluster, steal=steal)
        print(f"{name:<10}{ended.seconds / 3600:>10.2f}{ended.busy:>8.1%}{ended.again:>12}")


if __name__ == "__main__":
    main()
