"""Generation on top of the engine, with any model that gives log-probabilities.

    from ffgrammar import lm

    model = lm.Model.of(log_probs, tok)        # log_probs: lists of token ids -> log-probabilities of the next tokens
    state = model.state("I have ") + lm.gen("count", regex="[0-9]+") + " apples"
    state["count"]
    lm.score(model, "Two and two is", [" four", " five"])

In reading order:

    checked_model  a tokenizer and a function, whose results are checked
    opening        what a text begins with: fixed tokens, and the text after them, which may be tokenized again
    questions      how what is written asks the model
    spellings      the token sequences that spell a text
    weights        one batch of questions: the probabilities of token sequences that share their beginning
    score          `score`: how probable each of several texts is
    program        `gen`, `select` and `many`: what is to be written
    chat           turns of a chat, laid out as the model was trained on
    template_text  the text of a template, read into a tree
    template       programs written as text
    runs           a program, cut into what is written under one grammar
    drawing        how one of several things is drawn
    trace          what a trace tells of each token
    walk           writes one run, token by token
    stops          where a text has a stop
    events         what a stream tells
    partial_json   the value of the beginning of a JSON text
    snapshot       what has been written: the text, and what its names have
    several        several texts from one place
    execute        writes a program, step by step
    state          `State`: a text with the names of its parts
    batch          `run`: one program for many rows
    model          `Model`: what users make of a model
    adapters/      models of transformers and llama-cpp-python, as `Model.of` takes them
"""

from __future__ import annotations

from ffgrammar.lm.batch import run
from ffgrammar.lm.chat import assistant, system, user
from ffgrammar.lm.events import Event
from ffgrammar.lm.model import LanguageModel, Model
from ffgrammar.lm.partial_json import partial_json
from ffgrammar.lm.program import Program, gen, many, select
from ffgrammar.lm.score import Scores, score
from ffgrammar.lm.state import State
from ffgrammar.lm.template import Template, template
from ffgrammar.lm.trace import Trace, TracedToken

__all__ = [
    "Event",
    "LanguageModel",
    "Model",
    "Program",
    "Scores",
    "State",
    "Template",
    "Trace",
    "TracedToken",
    "assistant",
    "gen",
    "many",
    "partial_json",
    "run",
    "score",
    "select",
    "system",
    "template",
    "user",
]
