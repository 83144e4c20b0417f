"""Real clusters for the tests: Ray with two nodes on the loopback, and Spark in local mode. Worker processes find the
modules by PYTHONPATH."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff

STORE = 100 << 20
HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def _paths() -> None:
    places = [str(Path(ff.__file__).parent.parent), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(places)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"


@pytest.fixture(scope="session")
def cl100k() -> ff.Tokenizer:
    return ff.Tokenizer.from_tiktoken("cl100k_base")


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[Any]:
    """The module ray, connected to two nodes."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False},
    )
    cluster.add_node(num_cpus=1, object_store_memory=STORE)
    ray.init(cluster.address, log_to_driver=False)
    assert len(ray.nodes()) == 2
    yield ray
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A Spark session in local mode. A task whose worker dies is tried again, as on a cluster."""
    pytest.importorskip("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("NO JAVA: Spark was not tested. Install a Java runtime, 17 or newer.")
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
