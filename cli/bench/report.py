"""The figures of a run: as a dict for programs, and as a table for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..show import counted
from .walk import Forced, Result

__all__ = ["figures", "full_report", "ratios", "summary", "table"]

# How much of a list the table shows; --json has all of it.
SHOWN = 40
SHOWN_RUNS = 10
SPELLINGS = ("spaced", "compact")
PERCENTILES = (("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p99.9", 99.9))
STATUSES = ("pass", "wrong accept", "wrong reject", "wrong reject by property order", "refused", "crash", "hang")


def figures(times_ns: Sequence[int]) -> dict[str, float]:
    """Average, percentiles and maximum in microseconds; empty without times."""
    if not times_ns:
        return {}
    times = np.asarray(times_ns, dtype=np.float64) / 1000
    found = {"avg": float(times.mean())}
    found |= {name: float(np.percentile(times, percent)) for name, percent in PERCENTILES}
    found["max"] = float(times.max())
    return {name: round(value, 2) for name, value in found.items()}


def summary(results: Sequence[Result]) -> dict[str, Any]:
    """All figures of one engine. Times are in microseconds."""
    statuses = Counter(result.status for result in results)
    compiled = [result for result in results if result.first_mask_time]
    return {
        "schemas": len(results),
        "verdicts": {status: statuses[status] for status in STATUSES},
        "documents_right": sum(result.instances[0] for result in results),
        "documents": sum(result.instances[1] for result in results),
        "tbm_us": figures([time for result in results for time in result.between_masks]),
        "ttfm_us": figures([result.first_mask_time for result in compiled]),
        "compile_us": figures([result.compile_time for result in compiled]),
        "forced": {
            spelling: {
                "tokens": sum(getattr(result, spelling).tokens for result in results),
                "forced": sum(getattr(result, spelling).forced for result in results),
                "runs": sum(getattr(result, spelling).runs for result in results),
                "not_canonical": [bad for result in results for bad in getattr(result, spelling).bad_runs],
            }
            for spelling in SPELLINGS
        },
        "refused_for": dict(Counter(result.keyword for result in results if result.status == "refused").most_common()),
        "refused": [
            {"id": result.id, "keyword": result.keyword, "detail": result.detail}
            for result in results
            if result.status == "refused"
        ],
        "slowest": {
            "first_mask": _slowest(compiled, lambda result: result.first_mask_time),
            "between_masks": _slowest(compiled, lambda result: max(result.between_masks, default=0)),
        },
        "not_passed": [
            {"id": result.id, "status": result.status, "detail": result.detail}
            for result in results
            if result.status not in ("pass", "refused")
        ],
    }


def _slowest(results: Sequence[Result], time_ns: Callable[[Result], int]) -> dict[str, float]:
    """The ten schemas with the longest times, in microseconds."""
    return {result.id: time_ns(result) / 1000 for result in sorted(results, key=time_ns, reverse=True)[:10]}


def ratios(ours: Sequence[Result], peer: Sequence[Result]) -> dict[str, Any]:
    """Our times divided by the peer's, over the schemas that both pass, and the share of tokens that each forces."""
    other = {result.id: result for result in peer if result.status == "pass"}
    both = [(result, other[result.id]) for result in ours if result.status == "pass" and result.id in other]
    tbm = [figures([time for pair in both for time in pair[side].between_masks]) for side in (0, 1)]
    ttfm = [figures([pair[side].first_mask_time for pair in both]) for side in (0, 1)]
    shares = {
        spelling: [_forced_share([getattr(pair[side], spelling) for pair in both]) for side in (0, 1)]
        for spelling in SPELLINGS
    }
    return {
        "schemas": len(both),
        "forced_shares": shares,
        "tbm": {name: round(value / tbm[1][name], 3) for name, value in tbm[0].items()},
        "ttfm": {name: round(value / ttfm[1][name], 3) for name, value in ttfm[0].items()},
    }


def _forced_share(counts: Sequence[Forced]) -> float | None:
    """The share of the tokens that are forced; None if there are no tokens."""
    tokens = sum(one.tokens for one in counts)
    return round(sum(one.forced for one in counts) / tokens, 5) if tokens else None


def full_report(
    results: Mapping[str, Sequence[Result]],
    versions: Mapping[str, str],
    ready: Mapping[str, int],
    memory: Mapping[str, Mapping[str, float]],
) -> dict[str, Any]:
    """All figures, and the ratios of the first engine to each of the others.

    Args:
        results: by engine.
        versions: by engine.
        ready: by engine, the nanoseconds until it was ready.
        memory: by engine, megabytes by what they are for; engines may be missing.
    """
    first, *peers = results
    engines = {
        name: {"version": versions[name], "ready_ms": round(ready[name] / 1e6, 2), **summary(results[name])}
        for name in results
    }
    divided = {}
    for peer in peers:
        ratio = ratios(results[first], results[peer])
        ratio["ready"] = round(ready[first] / ready[peer], 3)
        if first in memory and peer in memory:
            ratio["peak_memory"] = round(memory[first]["peak"] / max(memory[peer]["peak"], 0.1), 3)
        divided[f"{first}/{peer}"] = ratio
    return {"engines": engines, "ratios": divided, "memory": {name: dict(sizes) for name, sizes in memory.items()}}


def table(report: dict[str, Any]) -> list[str]:
    """The report for a terminal, in lines."""
    engines: dict[str, dict[str, Any]] = report["engines"]
    lines = [f"{report['data']}: {counted(report['schemas'], 'schema')}, {report['tokenizer']}", ""]
    lines += _columns(engines, report["memory"])
    for pair, ratio in report["ratios"].items():
        lines += _ratio_lines(pair, ratio)
    for name, engine in engines.items():
        lines += _problems(name, engine)
    return lines


def _row(label: str, cells: Iterable[object]) -> str:
    return f"{label:<34}" + "".join(f"{cell!s:>18}" for cell in cells)


def _columns(engines: Mapping[str, dict[str, Any]], memory: Mapping[str, Mapping[str, float]]) -> list[str]:
    """A column for each engine."""
    every = list(engines.values())
    lines = [_row("", [f"{name} {engine['version']}" for name, engine in engines.items()])]
    lines += [_row(status, [engine["verdicts"][status] for engine in every]) for status in STATUSES]
    lines.append(_row("documents right", [f"{engine['documents_right']}/{engine['documents']}" for engine in every]))
    for key, label in (("tbm_us", "TBM"), ("ttfm_us", "TTFM"), ("compile_us", "compile")):
        for name in ("avg", *(percent for percent, _ in PERCENTILES), "max"):
            times = [f"{engine[key].get(name, float('nan')):,.1f}" for engine in every]
            lines.append(_row(f"{label} {name} (us)", times))
    for spelling in SPELLINGS:
        counts = [engine["forced"][spelling] for engine in every]
        if any(count["runs"] for count in counts):
            shares = [f"{100 * count['forced'] / max(1, count['tokens']):.1f}%" for count in counts]
            lines.append(_row(f"forced share, {spelling}", shares))
            bad = [f"{len(count['not_canonical'])}/{count['runs']}" for count in counts]
            lines.append(_row(f"  not canonical, {spelling}", bad))
    lines.append(_row("tokenizer ready (ms)", [f"{engine['ready_ms']:,.1f}" for engine in every]))
    if memory:
        for key, label in (("tokenizer", "memory of the vocabulary (MB)"), ("peak", "memory at the peak (MB)")):
            lines.append(_row(label, [f"{memory[name][key]:.1f}" if name in memory else "" for name in engines]))
    return lines


def _ratio_lines(pair: str, ratio: Mapping[str, Any]) -> list[str]:
    """The first engine divided by another one."""
    lines = [f"\n{pair} over the {counted(ratio['schemas'], 'schema')} that both pass:"]
    for key in ("tbm", "ttfm"):
        lines.append(f"  {key.upper():<5}" + "".join(f" {name} {value:.2f}" for name, value in ratio[key].items()))
    for spelling, shares in ratio["forced_shares"].items():
        if None not in shares:
            lines.append(f"  forced share, {spelling}: " + ", ".join(f"{100 * share:.2f}%" for share in shares))
    memory = f", peak memory {ratio['peak_memory']:.2f}" if "peak_memory" in ratio else ""
    return [*lines, f"  tokenizer ready {ratio['ready']:.3f}{memory}"]


def _problems(name: str, engine: Mapping[str, Any]) -> list[str]:
    """What an engine refused and got wrong: the beginning of each list."""
    lines = []
    if engine["refused_for"]:
        lines.append(f"\n{name} refused for:")
        lines += [f"  {count:5} {keyword}" for keyword, count in list(engine["refused_for"].items())[:SHOWN]]
    not_passed = engine["not_passed"]
    for one in not_passed[:SHOWN]:
        lines.append(f"\n{name}: {one['status']}: {one['id']}\n    {one['detail'][:300]}")
    if len(not_passed) > SHOWN:
        lines.append(f"\n{name}: and {len(not_passed) - SHOWN} more (all with --json)")
    for spelling in SPELLINGS:
        for bad in engine["forced"][spelling]["not_canonical"][:SHOWN_RUNS]:
            lines.append(f"\n{name}: not canonical, {spelling}: {bad[:300]}")
    return lines
