"""The same pages read by a pool of workers, by shards and on Ray: seconds, and their ratios.

    python -m benchmarks.runners [PAGES] [--nap 0.2] [--workers 4]

The engine sleeps, like one that waits for a GPU or a server, so the comparison shows what the
toolkit adds. Every command is timed as a whole, with its start; the Ray cluster runs already.
Target: Ray at most 1.3 times the pool's time, shards at least .95 of its speed. Ray is left out
where it is not installed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from ohr.plugins import OcrBackend

NAP = "OHR_BENCHMARK_NAP"


class NapEngine(OcrBackend):
    """Takes its time."""

    name = "nap"

    def read(self, image: np.ndarray) -> str:
        time.sleep(float(os.environ[NAP]))
        return f"The sum of the page is {int(image.sum())}."


def write_pages(folder: Path, count: int) -> None:
    """Small pages, no two of the same pixels."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    for number in range(count):
        page = rng.integers(0, 256, (64, 64), np.uint8)
        Image.fromarray(page).save(folder / f"{number:06d}.png")


def command(pages: Path, out: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "experiments.read", str(pages), "--cache", f"{out}-cache",
        "--engine", "benchmarks.runners.NapEngine", "--out", str(out), *more,
    ]  # fmt: skip


def timed(*at_once: list[str]) -> float:
    """Seconds that commands take that run at the same time."""
    started = time.perf_counter()
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in at_once]
    codes = [process.wait() for process in running]
    if any(codes):
        raise SystemExit("a command has failed")
    return time.perf_counter() - started


def main() -> None:
    """Print seconds of each way to read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=int, default=800)
    parser.add_argument("--nap", type=float, default=0.2)
    parser.add_argument("--workers", type=int, default=4)
    options = parser.parse_args()
    os.environ[NAP] = str(options.nap)
    count = options.workers
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(folder / "pages", options.pages)
        print(f"{options.pages / count * options.nap:8.1f} s of sleep for each of {count} workers")
        pool = timed(command(folder / "pages", folder / "pool", "--workers", str(count)))
        print(f"{pool:8.1f} s  a pool")
        shards = [
            command(folder / "pages", folder / "shards", "--workers", "1", "--steal",
                     "--shard", f"{number}/{count}")
            for number in range(1, count + 1)
        ]  # fmt: skip
        last = command(folder / "pages", folder / "shards", "--workers", "1")
        alone, whole = timed(*shards), timed(last)
        print(f"{alone:8.1f} s  {count} shards: {pool / alone:.3f} of the pool's speed")
        print(f"{whole:8.1f} s  the last command, which writes the knowledge base")
        ray(folder, count, pool)


def ray(folder: Path, count: int, pool: float) -> None:
    """Time Ray beside the pool."""
    try:
        from ray.cluster_utils import Cluster
    except ImportError:
        print("Ray is not installed: pip install 'ohr[ray]'")
        return
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": count, "include_dashboard": False}
    )
    os.environ["RAY_ADDRESS"] = cluster.address
    try:
        more = ("--workers", str(count), "--runner", "ray")
        seconds = timed(command(folder / "pages", folder / "ray", *more))
        print(f"{seconds:8.1f} s  Ray: {seconds / pool:.3f} times the pool's time")
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
