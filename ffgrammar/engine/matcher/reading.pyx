"""What the text of a matcher is so far: whether it is a sentence, what its rules read, and what is open in it.

Captures and explanations read the text once more, apart from the cursor. A matcher that is asked for neither keeps nothing of them.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.position.cursor cimport cursor_copy, cursor_free, cursor_revalidate, cursor_terminated
from ffgrammar.engine.position.history cimport history_bytes, history_len
from ffgrammar.engine.recognizer.completability cimport distance
from ffgrammar.engine.recognizer.recognizer cimport recognizer_accepting

from ffgrammar.core.arguments import byte_string
from ffgrammar.core.errors import LimitError
from ffgrammar.core.whole_imports import import_whole


cdef class Reading(Steps):
    def is_accepting(self) -> bool:
        """Whether the text so far is a sentence of the grammar, so that an end-of-text token may come. It stays True after an
        end-of-text token was accepted.

        It is False while bytes of the prompt are pending. If tokens must be canonical, it is also False if the tokenizer would
        make other tokens of a text that ends here.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        cdef int status
        if self.awaits_prompt():
            return False
        if self.canonical and not self.is_whole():
            return False
        self.engine.acquire()
        status = cursor_revalidate(self.engine, &self.cursor)
        if status >= 0:
            status = recognizer_accepting(&self.engine.recognizer, &self.cursor.now, NULL)
        self.engine.release()
        return self.checked(status) != 0

    cdef bint is_whole(self) except -1:
        try:
            return self.policy.is_whole(&self.cursor)
        except LimitError as error:
            raise self.located(error)

    def distance(self) -> int:
        """About how many bytes are missing until the text is a sentence; 0 if it is one.

        This is an estimate. It takes no account of the lexing rule, and can be much too large inside a lexeme that must match
        several expressions at once. If you always take the token after which the distance is least, the text soon ends, but not
        always in an array whose `contains` have upper bounds, or in an object that needs some keys only where another value has a
        pattern. Under a budget (`max_tokens`) a text always ends. Pending bytes of a prompt count.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        cdef int status
        cdef uint32_t length = 0
        self.engine.acquire()
        status = cursor_revalidate(self.engine, &self.cursor)
        if status >= 0:
            status = distance(&self.engine.completability, &self.engine.recognizer, &self.cursor.now, &length)
        self.engine.release()
        self.checked(status)
        return <Py_ssize_t>length + len(self.prompt_rest)

    cdef tuple captured_text(self):
        if self.capture_reader is None:
            CaptureReader = import_whole("ffgrammar.engine.captures.reader").CaptureReader
            self.capture_reader = CaptureReader(self.engine)
        return self.written()

    def captures(self, names=None) -> list:
        """What the rules of a Lark grammar derive in the text so far, what the named parts of a composition read, or the values
        of a JSON text, as a list of `Capture`.

        The list is in the order of `Capture.start`; of two captures with the same start, the outer one comes first. A capture
        grows (`Capture.end` is None) until the text that came decides where it ends; an end-of-text token decides it, too. A rule
        or a part that takes no text is no capture. If a text has several parses, the captures are those of one of them: for each
        rule the first of its productions that fits, and in a production each symbol as long as possible, from left to right. In a
        composition it is the first alternative that fits, and each part or round as long as possible.

        Nothing is tracked before the first call. A call costs what the text has gained since the last one, and one pass over the
        captures.

        Args:
            names: the names of rules; for a composition, names that `ffgrammar.capture` has given; for a JSON Schema, JSON
                pointers into the text, where `*` stands for any key and any index. None for all of them.

        Raises:
            MatcherError: there is no rule or no part of a name, or a name is not a JSON pointer.
            LimitError: a bound of the grammar was reached.
            TypeError: `names` is a single str.
        """
        text, special, ended = self.captured_text()
        return self.capture_reader.captures(text, special, ended, names)

    def capture_events(self, names=None) -> list:
        """How `captures` have changed since the last call with these names, or since the start of the text, as a list of
        `CaptureEvent`.

        First come captures that are withdrawn: by a rollback, or because the text went on in a way that another parse fits. Then
        come those that were opened, and then those that were closed, inner ones first. A capture that was opened and closed
        since the last call has both events. A fork goes on from what its original has reported.

        Args:
            names: as for `captures`.

        Raises:
            MatcherError, LimitError, TypeError: as for `captures`.
        """
        text, special, ended = self.captured_text()
        return self.capture_reader.events(text, special, ended, names)

    def explain(self, data not None=b"", token=None) -> Explanation:
        """What is open here, what is being read and what may follow; and why some bytes or a token may not come.

        The matcher does not move. An explanation reads the text once more, so it costs what accepting the text's bytes costs, and
        some milliseconds. It is about the grammar: a matcher of canonical tokens, or with `max_tokens`, may allow fewer bytes. But
        if a token is asked about, the explanation also says which of these parts of the matcher refuses it.

        Args:
            data: bytes that are tried here. The explanation is of the place after those that fit, and says why the next one is
                refused.
            token: the id of a token, in place of `data`. For an ordinary token its bytes are tried.

        Raises:
            TypeError: `data` is not a bytes-like object, or the token id is no int.
            ValueError: both `data` and `token` are given.
            TokenizerError: there is no such token id.
            LimitError: a bound of the grammar was reached.
        """
        explainer = import_whole("ffgrammar.engine.explain.explainer")
        cdef Reading plain = <Reading>self.blank()
        cdef bytes more = data if type(data) is bytes else byte_string(data)
        if token is not None:
            if more:
                raise ValueError("explain: give bytes or a token, not both")
            otherwise = self.why_not(token)
            more = self.engine.tokenizer.token_bytes(token)
        else:
            otherwise = ("ended", "the text has ended") if cursor_terminated(&self.cursor) else None
        text, special, ended = self.captured_text()
        self.engine.acquire()
        cursor_free(&plain.cursor)
        cursor_copy(&self.cursor, &plain.cursor)
        self.engine.release()
        plain.capture_reader = self.capture_reader.copy()
        plain.accept_bytes(more)
        question = explainer.Question(b"" if ended else more, token, otherwise)
        may_end = plain.is_accepting() and not self.awaits_prompt()
        return explainer.explain(self.engine, text, special, question, plain.captures(), may_end)

    def _repr_html_(self) -> str:
        """Where the matcher is, for notebooks: what `explain` says."""
        return self.explain()._repr_html_()

    cdef tuple why_not(self, token):
        """Why a token is refused although its bytes fit: a reason and a message. None if it is not refused."""
        cdef Py_ssize_t number
        if self.forked().take(token):
            return None
        number = token
        if cursor_terminated(&self.cursor):
            return "ended", "the text has ended"
        if not self.engine.tokenizer.token_bytes(number):
            if self.engine.is_eos(<uint32_t>number):
                return "special token", "the text is no sentence yet, so it may not end"
            return "special token", "no rule of the grammar waits for this special token"
        if self.awaits_prompt():
            return "prompt", f"the bytes of the prompt that are pending come first: {self.prompt_rest!r}"
        if self.budget is not None:
            return "budget", f"too few of the {self.tokens_left} tokens that are left would remain to complete the text"
        return "canonical", "its bytes fit, but the tokenizer would spell the text with other tokens"

    cdef Steps forked(self):
        cdef Reading other = <Reading>Steps.forked(self)
        if self.capture_reader is not None:
            other.capture_reader = self.capture_reader.copy()
        return other

    def __repr__(self) -> str:
        cdef size_t steps
        cdef uint32_t size
        self.engine.acquire()
        steps = history_len(&self.cursor.history)
        size = history_bytes(&self.cursor.history)
        self.engine.release()
        kind = f"canonical {self.engine.kind}" if self.canonical else self.engine.kind
        if cursor_terminated(&self.cursor):
            state = "terminated"
        elif self.prompt_rest:
            state = f"{len(self.prompt_rest)} bytes of the prompt pending"
        else:
            try:
                state = "accepting" if self.is_accepting() else "not accepting"
            except LimitError:
                state = "at a limit"
        return f"<ffgrammar.Matcher {kind} on {self.engine.tokenizer.name}: {steps} steps, {size} bytes, {state}>"
