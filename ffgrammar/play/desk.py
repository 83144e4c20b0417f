"""Answers requests: from a name and an object of JSON to an object of JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import FFGrammarError
from ffgrammar.core.recent import Recent
from ffgrammar.play.allowed import SortedTokens
from ffgrammar.play.bounds import MAX_FORKS, MAX_NEEDLE, MAX_SHEETS, MAX_STEPS, MAX_TEXT
from ffgrammar.play.examples import example, example_names
from ffgrammar.play.fields import BadRequest, Fields
from ffgrammar.play.gap import gap_answer
from ffgrammar.play.masks import mask_of
from ffgrammar.play.railroads import railroads_answer
from ffgrammar.play.refusals import refusal_answer
from ffgrammar.play.sheet import Sheet
from ffgrammar.play.sources import KINDS, Source, compile_source, error_answer, read_source
from ffgrammar.play.spot import Spot, find_spot
from ffgrammar.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    from ffgrammar.lm.model import Model
    from ffgrammar.play.model import ModelFace

__all__ = ["Desk"]

Answer = dict[str, Any]
# The name of the vocabulary that belongs to the model.
OF_MODEL = "the model's"


class Desk:
    """Answers the requests of the page. Any number of threads may ask.

    Args:
        tokenizers: the vocabularies that may be chosen, by name; the first one is the usual one. A function makes one
            when it is first used.
        model: a language model, whose vocabulary comes first.
        opening: what the page shows first: an object with `kind`, `source` and `text`; or None for an example.

    Raises:
        ValueError: there is no vocabulary.
    """

    def __init__(
        self,
        tokenizers: Mapping[str, Tokenizer | Callable[[], Tokenizer]],
        model: Model | None = None,
        opening: Mapping[str, str] | None = None,
    ) -> None:
        self._tokenizers = {**({OF_MODEL: model.tokenizer} if model is not None else {}), **tokenizers}
        if not self._tokenizers:
            raise ValueError("Desk: there is no vocabulary")
        self._model = None if model is None else _face_of(model)
        self._opening = dict(opening) if opening is not None else None
        self._sorted: dict[str, SortedTokens] = {}
        self._sheets: Recent[bytes, Sheet] = Recent(MAX_SHEETS)
        self._lock = Lock()
        self._answers: dict[str, Callable[[Fields], Answer]] = {
            "start": self._start,
            "example": lambda fields: example(fields.text("name", most=100)),
            "grammar": self._grammar,
            "text": self._text,
            "gap": lambda fields: self._at_spot(fields, gap_answer),
            "trie": self._trie,
            "why": self._why,
            "railroads": self._railroads,
            "next": lambda fields: self._of_model(fields, "next"),
            "write": lambda fields: self._of_model(fields, "write"),
            "select": self._select,
        }

    @property
    def names(self) -> list[str]:
        """What may be asked."""
        return list(self._answers)

    def answer(self, name: str, values: Any) -> Answer:
        """The answer to a request; an object with `error` if it cannot be answered.

        Args:
            name: what is asked, one of `names`.
            values: an object of JSON.
        """
        source = ""
        try:
            if name not in self._answers:
                raise BadRequest(f"nothing is known that answers {name[:40]!r}")
            fields = Fields(values)
            source = fields.text("source", "")
            return self._answers[name](fields)
        except FFGrammarError as error:
            return error_answer(error, source)
        except RecursionError:
            return error_answer(BadRequest("the source is nested too deeply"))

    def _start(self, fields: Fields) -> Answer:
        return {
            "kinds": list(KINDS),
            "tokenizers": list(self._tokenizers),
            "examples": example_names(),
            "model": self._model is not None,
            "opening": self._opening,
            "most": {"text": MAX_TEXT, "steps": MAX_STEPS, "forks": MAX_FORKS},
        }

    def _tokenizer(self, fields: Fields) -> tuple[str, Tokenizer]:
        name = fields.text("tokenizer", next(iter(self._tokenizers)), 500)
        if name not in self._tokenizers:
            raise BadRequest(f"there is no tokenizer {name[:60]!r}: give others to `ffgrammar play --tokenizer`")
        with self._lock:
            found = self._tokenizers[name]
            if not isinstance(found, Tokenizer):
                found = self._tokenizers[name] = found()
        return name, found

    def _sheet(self, fields: Fields) -> tuple[Sheet, bool, float]:
        """The sheet of a request's grammar, whether it is new, and how many seconds it took to compile."""
        name, tok = self._tokenizer(fields)
        source = read_source(fields)
        key = _key(name, source)
        with self._lock:
            known = self._sheets.get(key)
        if known is not None:
            return known, False, 0.0
        start = perf_counter()
        made = Sheet(compile_source(source, tok))
        spent = perf_counter() - start
        with self._lock:
            # (another thread may have been quicker)
            sheet = self._sheets.get(key, made)
            self._sheets[key] = sheet
        return sheet, True, spent

    def _grammar(self, fields: Fields) -> Answer:
        sheet, new, spent = self._sheet(fields)
        with sheet.lock:
            return {
                "kind": sheet.grammar.kind,
                "warnings": list(sheet.grammar.warnings)[:50],
                "millis": round(1000 * spent, 2) if new else None,
                "can_encode": sheet.grammar.tokenizer.can_encode,
                "vocabulary": sheet.grammar.tokenizer.vocab_size,
                "bytes": sheet.grammar.held_bytes(),
            }

    def _text(self, fields: Fields) -> Answer:
        sheet, new, spent = self._sheet(fields)
        with sheet.lock:
            return {**sheet.text(fields), "millis": round(1000 * spent, 2) if new else None}

    def _railroads(self, fields: Fields) -> Answer:
        sheet, _, _ = self._sheet(fields)
        with sheet.lock:
            return railroads_answer(sheet)

    def _at_spot(self, fields: Fields, answer: Callable[[Spot], Answer]) -> Answer:
        return answer(find_spot(self._sheet(fields)[0].grammar, fields))

    def _trie(self, fields: Fields) -> Answer:
        spot = find_spot(self._sheet(fields)[0].grammar, fields)
        name, tok = self._tokenizer(fields)
        with self._lock:
            if name not in self._sorted:
                self._sorted[name] = SortedTokens(tok)
        matcher, why = spot.canonical() if fields.flag("canonical") else (spot.matcher, "")
        if matcher is None:
            return {"here": [], "branches": [], "more": 0, "special": [], "found": [], "count": 0, "why": why}
        allowed = mask_of(matcher, tok.vocab_size)
        if fields.flag("refused"):
            allowed ^= (1 << tok.vocab_size) - 1
        needle = fields.text("search", "", MAX_NEEDLE)
        if needle:
            return {**self._sorted[name].search(allowed, needle.encode()), "why": why}
        return {**self._sorted[name].node(allowed, fields.data("prefix")), "why": why}

    def _why(self, fields: Fields) -> Answer:
        spot = find_spot(self._sheet(fields)[0].grammar, fields)
        token = fields.number("token", 0, spot.grammar.tokenizer.vocab_size - 1)
        return refusal_answer(spot, token, fields.flag("canonical"))

    def _face(self) -> ModelFace:
        if self._model is None:
            raise BadRequest("there is no model: start `ffgrammar play --model PATH`")
        return self._model

    def _of_model(self, fields: Fields, name: str) -> Answer:
        face = self._face()
        spot = find_spot(self._sheet(fields)[0].grammar, fields)
        if spot.grammar.tokenizer is not face.model.tokenizer:
            raise BadRequest(f"the model has a vocabulary of its own: choose the tokenizer {OF_MODEL!r}")
        return face.next(spot, fields) if name == "next" else face.write(spot, fields)

    def _select(self, fields: Fields) -> Answer:
        return self._face().select(fields)


def _face_of(model: Model) -> ModelFace:
    """A model as the page asks it. It is imported when there is one: models need numpy, and the rest does not."""
    from ffgrammar.play.model import ModelFace

    return ModelFace(model)


def _key(name: str, source: Source) -> bytes:
    return sha256(repr((name, source)).encode("utf-8", "surrogatepass")).digest()
