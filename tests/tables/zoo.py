"""One table in the clothes of every library."""

from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa

REAL = [1.5, None, -2.25, 0.0, 7.5]
WHOLE = [1, 2, None, 4, 5]
TRUTH = [True, None, False, True, False]
WORDS = ["a", "long word", None, "", "a"]
GROUPS = ["x", None, "y", "x", "z"]
NAMES = ["real", "whole", "truth", "words", "groups"]


def _pandas_numpy() -> Any:
    truth, words = pd.Series(TRUTH, dtype=object), pd.Series(WORDS, dtype=object)
    groups = pd.Categorical(GROUPS)
    return pd.DataFrame({"real": REAL, "whole": WHOLE, "truth": truth, "words": words, "groups": groups})


def _pandas_nullable() -> Any:
    kinds = {"real": "Float64", "whole": "Int64", "truth": "boolean", "words": "string", "groups": "category"}
    return _pandas_numpy().astype(kinds)


def _pandas_arrow() -> Any:
    types = [pa.float64(), pa.int64(), pa.bool_(), pa.string(), pa.dictionary(pa.int32(), pa.string())]
    columns = (REAL, WHOLE, TRUTH, WORDS, GROUPS)
    arrays = [pa.array(values, kind) for values, kind in zip(columns, types, strict=True)]
    return pd.DataFrame({n: pd.Series(a, dtype=pd.ArrowDtype(a.type)) for n, a in zip(NAMES, arrays, strict=True)})


def _polars() -> Any:
    groups = pl.Series(GROUPS, dtype=pl.Categorical)
    return pl.DataFrame({"real": REAL, "whole": WHOLE, "truth": TRUTH, "words": WORDS, "groups": groups})


def _arrow() -> Any:
    columns = zip(NAMES, (REAL, WHOLE, TRUTH, WORDS, GROUPS), strict=True)
    whole = pa.table({n: pa.array(v).dictionary_encode() if n == "groups" else pa.array(v) for n, v in columns})
    first = pa.table({**{n: whole[n][:2] for n in NAMES[:4]}, "groups": pa.array(GROUPS[:2]).dictionary_encode()})
    last = pa.table({**{n: whole[n][2:] for n in NAMES[:4]}, "groups": pa.array(GROUPS[2:]).dictionary_encode()})
    return pa.concat_tables([first, last])


def _dict() -> Any:
    groups = pl.Series(GROUPS, dtype=pl.Enum(["z", "y", "x"]))
    return {"real": REAL, "whole": tuple(WHOLE), "truth": pa.array(TRUTH), "words": pl.Series(WORDS), "groups": groups}


ZOO: dict[str, Any] = {
    "pandas": _pandas_numpy,
    "pandas nullable": _pandas_nullable,
    "pandas arrow": _pandas_arrow,
    "polars": _polars,
    "polars lazy": lambda: _polars().lazy(),
    "arrow": _arrow,
    "record batch": lambda: _arrow().combine_chunks().to_batches()[0],
    "dict": _dict,
}
