"""The figures of a run on grammars of one notation: each grammar's, and all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..show import counted
from .languages import Comparison, Language, Walk
from .report import figures

__all__ = ["language_report", "language_table"]

COLUMNS = ("avg", "p50", "p99", "max")


def language_report(
    languages: Sequence[Language],
    walks: Mapping[str, Sequence[Walk]],
    comparisons: Mapping[str, Sequence[Comparison]],
    versions: Mapping[str, str],
) -> dict[str, Any]:
    """For each grammar, and for `all`: the figures of each engine, and the first engine over each of the others."""
    rows = {
        language.id: _figures(
            {name: [found[number]] for name, found in walks.items()},
            {name: [found[number]] for name, found in comparisons.items()},
        )
        for number, language in enumerate(languages)
    }
    return {"versions": dict(versions), "grammars": rows, "all": _figures(walks, comparisons)}


def _figures(walks: Mapping[str, Sequence[Walk]], comparisons: Mapping[str, Sequence[Comparison]]) -> dict[str, Any]:
    first, *peers = walks
    return {
        "engines": {name: _of_engine(found) for name, found in walks.items()},
        "ratios": {f"{first}/{peer}": _ratio(walks[first], walks[peer], comparisons[peer]) for peer in peers},
    }


def _of_engine(walks: Sequence[Walk]) -> dict[str, Any]:
    compiled = [walk for walk in walks if walk.first_mask_time]
    return {
        "tokens": sum(len(walk.between_masks) for walk in walks),
        "ttfm_us": figures([walk.first_mask_time for walk in compiled]),
        "compile_us": figures([walk.compile_time for walk in compiled]),
        "tbm_us": figures([time for walk in walks for time in walk.between_masks]),
        "refused": sum(walk.refused for walk in walks),
        "problems": [walk.problem for walk in walks if walk.problem],
    }


def _ratio(ours: Sequence[Walk], peer: Sequence[Walk], compared: Sequence[Comparison]) -> dict[str, Any]:
    """Our times divided by the peer's, over the grammars whose texts both walk to their ends."""
    both = [pair for pair in zip(ours, peer, strict=True) if not any(walk.problem or walk.refused for walk in pair)]
    tbm = [figures([time for pair in both for time in pair[side].between_masks]) for side in (0, 1)]
    ttfm = [figures([pair[side].first_mask_time for pair in both]) for side in (0, 1)]
    return {
        "grammars": len(both),
        "tbm": {name: round(value / tbm[1][name], 3) for name, value in tbm[0].items()},
        "ttfm": {name: round(value / ttfm[1][name], 3) for name, value in ttfm[0].items()},
        "masks": sum(one.places for one in compared),
        "differing": sum(one.differing for one in compared),
        "examples": [example for one in compared for example in one.examples] if len(compared) == 1 else [],
    }


def language_table(report: Mapping[str, Any], title: str = "Lark") -> list[str]:
    """The report for a terminal, in lines: for each grammar, the engines and then the ratios."""
    peers = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    lines = [f"{counted(len(report['grammars']), f'{title} grammar')}: {peers}", ""]
    header = ["tokens", "TTFM avg (us)", *(f"TBM {name} (us)" for name in COLUMNS), "refused", "masks differ"]
    lines.append(_row("", header))
    for name, row in [*report["grammars"].items(), ("all", report["all"])]:
        lines.append(name)
        for engine, found in row["engines"].items():
            cells = [f"{found['tbm_us'].get(column, float('nan')):,.1f}" for column in COLUMNS]
            first = f"{found['ttfm_us'].get('avg', float('nan')):,.1f}"
            lines.append(_row(f"  {engine}", [f"{found['tokens']:,}", first, *cells, str(found["refused"])]))
            lines += [f"    {problem[:150]}" for problem in found["problems"]]
        for pair, ratio in row["ratios"].items():
            cells = [f"{ratio[key].get(column, float('nan')):.3g}" for key, column in _RATIOS]
            lines.append(_row(f"  {pair}", ["", *cells, "", f"{ratio['differing']:,}/{ratio['masks']:,}"]))
    return lines


_RATIOS = [("ttfm", "avg"), *(("tbm", name) for name in COLUMNS)]


def _row(label: str, cells: Sequence[str]) -> str:
    return (f"{label:<24}" + "".join(f"{cell:>15}" for cell in cells)).rstrip()
