"""Fixtures: a tokenizer, a cluster of Ray, a session of Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ffgrammar as ff
from clusters.engines import has_java, local_spark, set_paths, two_nodes


@pytest.fixture(scope="session", autouse=True)
def _paths() -> None:
    set_paths()


@pytest.fixture(scope="session")
def cl100k() -> ff.Tokenizer:
    return ff.Tokenizer.from_tiktoken("cl100k_base")


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[Any]:
    """The module ray, connected to two nodes."""
    pytest.importorskip("ray")
    with two_nodes() as ray:
        yield ray


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A Spark session in local mode."""
    pytest.importorskip("pyspark")
    if not has_java():
        pytest.skip("NO JAVA: Spark was not tested. Install a Java runtime, 17 or newer.")
    with local_spark() as session:
        yield session
