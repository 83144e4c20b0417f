"""Tables and ratios of a run, as text for people and as a dict for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .walk import Forced, Result

__all__ = ["figures", "full_report", "ratios", "summary", "table"]

# Of a list in the table; --json has all.
SHOWN = 40
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
    """All figures of one engine."""
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
            for spelling in ("spaced", "compact")
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
    """Ours divided by the peer's, over the schemas that both pass; and the share of their tokens that each forces."""
    other = {result.id: result for result in peer if result.status == "pass"}
    both = [(result, other[result.id]) for result in ours if result.status == "pass" and result.id in other]
    tbm = [figures([time for pair in both for time in pair[side].between_masks]) for side in (0, 1)]
    ttfm = [figures([pair[side].first_mask_time for pair in both]) for side in (0, 1)]
    shares = {
        spelling: [_forced_share([getattr(pair[side], spelling) for pair in both]) for side in (0, 1)]
        for spelling in ("spaced", "compact")
    }
    return {
        "schemas": len(both),
        "forced_shares": shares,
        "tbm": {name: round(value / tbm[1][name], 3) for name, value in tbm[0].items()},
        "ttfm": {name: round(value / ttfm[1][name], 3) for name, value in ttfm[0].items()},
    }


def _forced_share(counts: Sequence[Forced]) -> float | None:
    """None where there are no tokens."""
    tokens = sum(one.tokens for one in counts)
    return round(sum(one.forced for one in counts) / tokens, 5) if tokens else None


def full_report(
    results: Mapping[str, Sequence[Result]],
    versions: Mapping[str, str],
    ready: Mapping[str, int],
    memory: Mapping[str, Mapping[str, float]],
) -> dict[str, Any]:
    """All figures; the first engine is divided by the others. `ready` is in nanoseconds, `memory` in megabytes."""
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
    names = list(engines)
    lines = [f"{report['data']}: {report['schemas']} schemas, {report['tokenizer']}", ""]

    def row(label: str, cells: Sequence[object]) -> None:
        lines.append(f"{label:<34}" + "".join(f"{cell!s:>18}" for cell in cells))

    row("", [f"{name} {engines[name]['version']}" for name in names])
    for status in STATUSES:
        row(status, [engines[name]["verdicts"][status] for name in names])
    row("documents right", [f"{engines[name]['documents_right']}/{engines[name]['documents']}" for name in names])
    for key, label in (("tbm_us", "TBM"), ("ttfm_us", "TTFM"), ("compile_us", "compile")):
        for name in ("avg", *(percent for percent, _ in PERCENTILES), "max"):
            row(f"{label} {name} (us)", [f"{engines[engine][key].get(name, float('nan')):,.1f}" for engine in names])
    for spelling in ("spaced", "compact"):
        counts = [engines[name]["forced"][spelling] for name in names]
        if not any(count["runs"] for count in counts):
            continue
        row(f"forced share, {spelling}", [f"{100 * c['forced'] / max(1, c['tokens']):.1f}%" for c in counts])
        row(f"  not canonical, {spelling}", [f"{len(c['not_canonical'])}/{c['runs']}" for c in counts])
    row("tokenizer ready (ms)", [f"{engines[name]['ready_ms']:,.1f}" for name in names])
    memory = report["memory"]
    for key, label in (("tokenizer", "memory of the vocabulary (MB)"), ("peak", "memory at the peak (MB)")):
        if memory:
            row(label, [f"{memory[name][key]:.1f}" if name in memory else "" for name in names])
    for pair, ratio in report["ratios"].items():
        lines.append(f"\n{pair} over the {ratio['schemas']} schemas that both pass:")
        lines += [
            f"  {key.upper():<5}" + "".join(f" {name} {value:.2f}" for name, value in ratio[key].items())
            for key in ("tbm", "ttfm")
        ]
        for spelling, shares in ratio["forced_shares"].items():
            if None not in shares:
                lines.append(f"  forced share, {spelling}: " + ", ".join(f"{100 * share:.2f}%" for share in shares))
        memory_ratio = f", peak memory {ratio['peak_memory']:.2f}" if "peak_memory" in ratio else ""
        lines.append(f"  tokenizer ready {ratio['ready']:.3f}{memory_ratio}")
    for name in names:
        refused = engines[name]["refused_for"]
        if refused:
            lines.append(f"\n{name} refused for:")
            lines += [f"  {count:5} {keyword}" for keyword, count in list(refused.items())[:SHOWN]]
        not_passed = engines[name]["not_passed"]
        for one in not_passed[:SHOWN]:
            lines.append(f"\n{name}: {one['status']}: {one['id']}\n    {one['detail'][:300]}")
        if len(not_passed) > SHOWN:
            lines.append(f"\n{name}: and {len(not_passed) - SHOWN} more (all with --json)")
        for spelling in ("spaced", "compact"):
            for bad in engines[name]["forced"][spelling]["not_canonical"][:10]:
                lines.append(f"\n{name}: not canonical, {spelling}: {bad[:300]}")
    return lines
