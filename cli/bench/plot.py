"""The distribution of the times between masks, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import IO

import click
import numpy as np

from .walk import Result

__all__ = ["check_installed", "draw"]

POINTS = 2000


def check_installed() -> None:
    """Fail before the run rather than after it.

    Raises:
        click.UsageError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise click.UsageError("--plot needs the package matplotlib (pip install 'ffgrammar[plot]')")


def draw(file: IO[bytes], results: Mapping[str, Sequence[Result]], title: str) -> None:
    """Write an SVG with a curve for each engine: for each time, the share of its masks that took no longer."""
    from matplotlib.figure import Figure

    # Not pyplot, which would look for a screen.
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot(xscale="log", xlabel="time between masks (us)", ylabel="share of masks", title=title)
    share = np.linspace(0, 1, POINTS)
    for name, of_schemas in results.items():
        times = [time for result in of_schemas for time in result.between_masks]
        if times:
            axes.plot(np.quantile(np.asarray(times) / 1000, share), share, label=name)
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    figure.savefig(file, format="svg")
