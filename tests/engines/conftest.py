"""One Spark session for the whole run, which takes seconds to start."""

from collections.abc import Iterator
from typing import Any

import pytest

from engines.clusters import Dask, Spark, spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    session = spark_session()
    yield session
    session.stop()


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Any:
    """Return the engine of a name."""
    return Dask() if request.param == "dask" else Spark(request.getfixturevalue("spark"))
