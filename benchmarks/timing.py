"""Timing by turns, and how a ratio is printed."""

import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path


def clock(action: Callable[[], object]) -> float:
    """Seconds that an action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def by_turns(repeats: int, *actions: Callable[[], object]) -> list[float]:
    """The median seconds of each action, the actions taking turns."""
    for action in actions:
        action()
    found: list[list[float]] = [[] for _ in actions]
    for _ in range(repeats):
        for times, action in zip(found, actions, strict=True):
            times.append(clock(action))
    return [statistics.median(times) for times in found]


def command(*words: str | Path) -> Callable[[], object]:
    """A command, its output thrown away; a verdict is no failure."""

    def call() -> None:
        done = subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{words} ended with {done.returncode}")

    return call


def cost(what: str, ours: float, peer: float, peer_name: str, at_most: float) -> None:
    """Print a cost as a multiple of a peer's."""
    ratio = ours / peer
    said = "holds" if ratio <= at_most else "MISSED"
    print(f"{what}: {ours * 1e3:.1f} ms, {ratio:.3f}x {peer_name} ({peer * 1e3:.1f} ms);"
          f" at most {at_most}x: {said}", flush=True)  # fmt: skip


def gain(what: str, ours: float, peer: float, peer_name: str, at_least: float) -> None:
    """Print how many times faster we are than a peer."""
    ratio = peer / ours
    said = "holds" if ratio >= at_least else "MISSED"
    print(f"{what}: {ours * 1e3:.2f} ms, {ratio:.1f} times faster than {peer_name}"
          f" ({peer * 1e3:.2f} ms); at least {at_least}: {said}", flush=True)  # fmt: skip
