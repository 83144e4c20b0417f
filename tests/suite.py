"""The official JSON-Schema-Test-Suite, run against the engine: `python tests/suite.py [FOLDER]`.

FOLDER is the folder of a draft, or its subfolder `optional` or `optional/format`. In `optional/format`, formats are
enforced. Instances are written without white space, keys in any order are allowed, and the suite's `remotes` are in the
registry.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.errors import FFGrammarError, GrammarError
from sentences import BYTES, is_sentence
from shared_data import shared_dir

__all__ = ["Verdict", "compact", "draft_of", "load_remotes", "run"]

BASE = "http://localhost:1234/"
DRAFTS = {"draft4": 4, "draft6": 6, "draft7": 7, "draft2019-09": 2019, "draft2020-12": 2020}
KINDS = ["right", "refused", "wrong accept", "wrong reject", "depends on the order of keys"]


@dataclass(frozen=True)
class Verdict:
    """What came out for one instance; `kind` is one of KINDS, `reason` says why a schema was refused."""

    file: str
    group: str
    test: str
    kind: str
    reason: str = ""


def draft_of(folder: Path) -> int | None:
    """The draft that a folder of the suite is for."""
    found = [DRAFTS[part] for part in folder.resolve().parts if part in DRAFTS]
    return found[-1] if found else None


def load_remotes(folder: Path) -> dict[str, Any]:
    """The suite's remote schemas by URI."""
    return {
        BASE + path.relative_to(folder).as_posix(): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.json"))
    }


def compact(data: Any) -> Iterable[bytes]:
    """The one text of an instance that is looked at."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    # what is no text at all is invalid by any schema
    yield text.encode("utf-8", "surrogatepass")


def run(
    folder: Path,
    registry: Any,
    draft: int,
    *,
    spellings: Callable[[Any], Iterable[bytes]] = compact,
    integer_spelling: str = "plain",
) -> list[Verdict]:
    """The verdicts on all instances of the files in a folder; a schema that names no draft is of the given one."""
    formats = "enforce" if folder.resolve().name == "format" else "annotation"
    verdicts = []
    for path in sorted(folder.glob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            schema = group["schema"]
            says_draft = isinstance(schema, dict) and "$schema" in schema
            grammar = None
            reason = ""
            try:
                grammar = compile_json_schema(
                    schema,
                    BYTES,
                    whitespace="compact",
                    property_order="any",
                    formats=formats,
                    draft=None if says_draft else draft,
                    registry=registry,
                    integer_spelling=integer_spelling,
                )
            except FFGrammarError as error:
                # a schema that nothing obeys rejects everything
                if not (isinstance(error, GrammarError) and error.message.startswith("no value obeys")):
                    reason = f"{type(error).__name__}: {error}"
            for test in group["tests"]:
                kind = "refused" if reason else _kind(grammar, test["valid"], spellings(test["data"]))
                verdicts.append(Verdict(path.name, group["description"], test["description"], kind, reason))
    return verdicts


def _kind(grammar: Any, valid: bool, texts: Iterable[bytes]) -> str:
    found = {grammar is not None and is_sentence(grammar, text) for text in texts}
    if len(found) > 1:
        return "depends on the order of keys"
    if found == {valid}:
        return "right"
    return "wrong reject" if valid else "wrong accept"


def _remotes_near(folder: Path) -> Path | None:
    for above in folder.resolve().parents:
        if (above / "remotes").is_dir():
            return above / "remotes"
    return None


def main() -> int:
    """Run a folder; the exit code is 1 if something came out wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, nargs="?", help="default: draft2020-12 of the shared data")
    parser.add_argument("--draft", type=int, choices=[*DRAFTS.values()], help="default: by the name of the folder")
    parser.add_argument("--remotes", type=Path, metavar="DIR", help="default: `remotes` beside or above the folder")
    parser.add_argument("--list", action="store_true", help="list what is not right")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all verdicts here")
    given = parser.parse_args()
    folder = given.folder
    if folder is None:
        shared = shared_dir()
        if shared is None:
            parser.error("the shared data is not there (see FFGRAMMAR_SHARED): name a folder of the suite")
        folder = shared / "jsonschema-suite" / "draft2020-12"
    if not any(folder.glob("*.json")):
        parser.error(f"there are no tests in {folder}")
    draft = given.draft or draft_of(folder)
    if draft is None:
        parser.error("the name of the folder does not say what draft it is for: use --draft")
    remotes = given.remotes or _remotes_near(folder)
    verdicts = run(folder, load_remotes(remotes) if remotes else {}, draft)
    counts = Counter([verdict.kind for verdict in verdicts])
    if given.list:
        for verdict in verdicts:
            if verdict.kind != "right":
                reason = f" ({verdict.reason})" if verdict.reason else ""
                print(f"{verdict.kind}\t{verdict.file}: {verdict.group}: {verdict.test}{reason}")
    else:
        refused = Counter([(verdict.file, verdict.reason) for verdict in verdicts if verdict.reason])
        for (file, reason), count in refused.most_common():
            print(f"refused\t{count}\t{file}: {reason}")
        for verdict in verdicts:
            if verdict.kind.startswith("wrong"):
                print(f"{verdict.kind}\t{verdict.file}: {verdict.group}: {verdict.test}")
    print(", ".join([f"{counts[kind]} {kind}" for kind in KINDS]), f"of {len(verdicts)}")
    if given.json:
        given.json.write_text(json.dumps([asdict(verdict) for verdict in verdicts], indent=1), encoding="utf-8")
    return 1 if any(kind.startswith("wrong") for kind in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
