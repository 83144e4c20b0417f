"""Real clusters on this machine: Ray with two nodes on the loopback, and Spark in local mode."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ffgrammar as ff

__all__ = ["has_java", "local_spark", "set_paths", "two_nodes"]

STORE = 100 << 20


def set_paths() -> None:
    """Let the processes of engines find ffgrammar and the modules of the tests, by PYTHONPATH."""
    places = [str(Path(ff.__file__).parent.parent), str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(places)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"


def has_java() -> bool:
    """Whether Spark can run."""
    return shutil.which("java") is not None or "JAVA_HOME" in os.environ


@contextmanager
def two_nodes() -> Iterator[Any]:
    """The module ray, connected to two nodes."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False},
    )
    cluster.add_node(num_cpus=1, object_store_memory=STORE)
    ray.init(cluster.address, log_to_driver=False)
    try:
        assert len(ray.nodes()) == 2
        yield ray
    finally:
        ray.shutdown()
        cluster.shutdown()


@contextmanager
def local_spark() -> Iterator[Any]:
    """A Spark session in local mode. A task whose worker dies is tried again, as on a cluster."""
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
