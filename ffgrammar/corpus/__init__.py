"""Corpora: canonicality, validity, tokens and savings over datasets, from one file to a cluster.

    from ffgrammar import corpus

    corpus.check(dataset, tok, ids="tokens")             # a dataset of Ray, Spark, datasets or pyarrow
    corpus.validate(dataset, grammar, text="answer")
    corpus.run(corpus.check_job(tok), ["data/"], "results")   # files; `ffgrammar corpus` in the shell

One core does the work: a function from a record batch of Arrow to a record batch (jobs/job.py). It needs the package
pyarrow, which the extra `corpus` brings.

In reading order:

    base/     columns of Arrow as flat arrays; tokenizers and grammars on their way to other processes
    jobs/     what is done with each row
    report/   what a job found, in numbers, and as a page
    data/     files of data, read in parts, and results written
    runs/     a job over files, on one machine or on an engine
    datasets  jobs over datasets that a program has
    face      the functions of this package
"""

from __future__ import annotations

from ffgrammar.corpus.face import (
    check,
    check_job,
    forced,
    forced_job,
    tokenize,
    tokenize_job,
    validate,
    validate_job,
)
from ffgrammar.corpus.jobs.job import Job
from ffgrammar.corpus.report.page import page
from ffgrammar.corpus.runs.run import Progress, run
from ffgrammar.corpus.runs.task import TaskError

__all__ = [
    "Job",
    "Progress",
    "TaskError",
    "check",
    "check_job",
    "forced",
    "forced_job",
    "page",
    "run",
    "tokenize",
    "tokenize_job",
    "validate",
    "validate_job",
]
