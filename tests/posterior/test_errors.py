"""Bad input to a family: one clear sentence, and nothing changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suffice
from suffice import errors, parallel
from suffice.stats import CategoryCounts, TokenCounts

sf: Any = suffice  # what these tests do wrong, a type checker would see
eye = np.eye(2)
coin = sf.Dirichlet([1, 1]).update


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: sf.Beta(0, 1), errors.PriorError, "'a' parameter of Beta must be positive; got 0"),
        (
            lambda: sf.Beta([1, 2], [3, -4]),
            errors.PriorError,
            r"'b' parameter of Beta must be positive; got -4 at \[1\]",
        ),
        (lambda: sf.Beta(np.nan, 1), errors.PriorError, "'a' parameter of Beta must be finite; got nan"),
        (lambda: sf.Beta(1, np.inf), errors.PriorError, "finite"),
        (lambda: sf.Beta("one", 1), errors.KindError, "must hold a number or numbers; got 'one'"),
        (lambda: sf.Beta([1, 2], [1, 2, 3]), errors.ShapeError, "broadcast"),
        (lambda: sf.Dirichlet(1), errors.PriorError, "one number per category"),
        (lambda: sf.Dirichlet([]), errors.PriorError, "one number per category"),
        (lambda: sf.Dirichlet([1, 0]), errors.PriorError, r"positive; got 0 at \[1\]"),
        (lambda: sf.Gamma(1, -1), errors.PriorError, "'rate' parameter of Gamma must be positive; got -1"),
        (lambda: sf.NormalInverseGamma(0, -1, 1, 1), errors.PriorError, "'kappa'.*zero or positive"),
        (lambda: sf.NormalInverseGamma(0, 1, 0, 1), errors.PriorError, "'a'.*positive"),
        (lambda: sf.NormalInverseWishart([0, 0], 1, 1, eye), errors.PriorError, "'nu'.*above d − 1 = 1; got 1"),
        (lambda: sf.NormalInverseWishart([0, 0], 1, 3, -eye), errors.PriorError, "positive definite"),
        (lambda: sf.NormalInverseWishart([0, 0], 1, 3, [[1, 2], [0, 1]]), errors.PriorError, "symmetric"),
        (lambda: sf.NormalInverseWishart([0, 0], 1, 3, [1, 1]), errors.ShapeError, "square"),
        (lambda: sf.NormalInverseWishart([0, 0], [1, 1], [3, 3, 3], eye), errors.ShapeError, "broadcast"),
        (lambda: sf.Pareto(-1, 1), errors.PriorError, "'b' parameter of Pareto must be zero or positive"),
        (lambda: sf.Beta().update(), errors.KeywordError, "neither"),
        (lambda: sf.Beta().update(head=3), errors.KeywordError, "got 'head'. Did you mean 'heads'?"),
        (lambda: sf.Beta().log_evidence(successes=3), errors.KeywordError, "takes the arguments heads, tails, values"),
        (lambda: sf.Beta().update(values=[1], heads=1), errors.KeywordError, "got both"),
        (lambda: sf.Beta().update(heads=1, weights=[1]), errors.KeywordError, "needs 'values'"),
        (lambda: sf.Beta().update(heads=-1), errors.DataError, "'heads'.*got -1"),
        (lambda: sf.Beta().update(heads=np.nan), errors.DataError, "'heads'.*got nan"),
        (lambda: sf.Beta().update(heads="many"), errors.KindError, "'heads'"),
        (lambda: sf.Beta().update(heads=2**53), errors.DataError, r"below 2\*\*53"),
        (lambda: sf.Beta().update(heads=2**70), errors.DataError, r"below 2\*\*53"),
        (lambda: sf.Beta().update(heads=[1, 2], tails=[1, 2, 3]), errors.ShapeError, "'heads' of shape"),
        (lambda: sf.Beta().update(values=[0, 0.5]), errors.DataError, r"'values'.*zeros and ones; got 0.5 at \[1\]"),
        (lambda: sf.Beta().update(values=[]), errors.DataError, "at least one row"),
        (lambda: sf.Beta([1, 1], 1).update(values=[[0, 1, 1]]), errors.ShapeError, r"shape \(2,\); got shape \(3,\)"),
        (lambda: sf.Beta().update(TokenCounts.of([1.0])), errors.KindError, "BinaryCounts; got TokenCounts"),
        (lambda: sf.Beta().update([1, 0]), errors.KindError, "by keyword: heads=, tails="),
        (lambda: sf.Beta().interval(95), errors.InputError, "'level' must be a number between 0 and 1; got 95"),
        (lambda: sf.Beta().interval(0.9, kind="shortest"), errors.InputError, "'equal' or 'highest'"),
        (lambda: sf.Beta().predict(-1), errors.DataError, "'trials'"),
        (lambda: sf.Beta().predict(2.5), errors.DataError, "'trials'.*whole"),
        (lambda: sf.Dirichlet([1, 1]).update(counts=[1, 2, 3]), errors.ShapeError, r"got shape \(3,\)"),
        (lambda: sf.Dirichlet([1, 1]).update(counts=[1]), errors.ShapeError, r"got shape \(1,\)"),
        (lambda: sf.Dirichlet([1, 1]).update(counts=[1, -2]), errors.DataError, r"'counts'.*got -2 at \[1\]"),
        (lambda: coin(values=[0, 2], categories=[0, 1]), errors.DataError, r"'values'.*'categories'.*got 2 at \[1\]"),
        (lambda: coin(values=[0, None], categories=[0, 1]), errors.DataError, r"got None at \[1\]"),
        (lambda: coin(values=[], categories=[0, 1]), errors.DataError, "at least one row"),
        (lambda: coin(values=[[0]], categories=[0, 1]), errors.ShapeError, r"list of categories; got .*shape \(1, 1\)"),
        (lambda: coin(values=0, categories=[0, 1]), errors.ShapeError, "'values' must be a list of categories; got 0"),
        (lambda: coin(values=[0], categories=[0, 1, 2]), errors.InputError, r"must list 2 different .*got \[0, 1, 2\]"),
        (lambda: coin(values=[0], categories=[1, 1]), errors.InputError, "must list 2 different values"),
        (lambda: coin(values=[0], categories=2), errors.ShapeError, "'categories' must be a list"),
        (lambda: coin(counts=[1, 2], categories=[0, 1]), errors.KeywordError, "'categories' of .* needs 'values'"),
        (lambda: sf.Dirichlet([1, 1]).update(counts=[1, 2], values=[0]), errors.KeywordError, "got both"),
        (lambda: sf.Dirichlet([1, 1]).update(CategoryCounts.of([[0, 1]])), errors.ShapeError, r"column\(j\)"),
        (lambda: sf.Dirichlet([1.0]).marginal(), errors.PriorError, "one category"),
        (lambda: sf.Gamma(1, 1).update(values=[1.5]), errors.DataError, "whole"),
        (lambda: sf.Gamma(1, 1).update(values=[-1]), errors.DataError, "whole"),
        (lambda: sf.NormalInverseGamma(0, 1, 1, 1).update(values=[np.inf]), errors.DataError, "finite"),
        (lambda: sf.NormalInverseWishart([0, 0], 1, 3, eye).update(values=[[1.0]]), errors.ShapeError, "shape"),
        (lambda: sf.NormalInverseWishart([0, 0], 1, 3, eye).update(values=[1.0, 2.0]), errors.ShapeError, "vector"),
        (lambda: sf.Pareto(1, 1).update(values=[0]), errors.DataError, "positive"),
        (lambda: sf.Pareto(0, 0).log_evidence(values=[1]), errors.ImproperPrior, "The evidence needs a proper prior"),
        (lambda: sf.Pareto(0, 3).mean, errors.ImproperPrior, "The mean needs a proper prior"),
        (lambda: sf.Dirichlet([1, 1, 1]).update(counts=5), errors.ShapeError, r"got shape \(\)"),
        (lambda: sf.Dirichlet([1, 1, 1]).update(values=[0, 1]), errors.KeywordError, r"range\(3\) if"),
        (
            lambda: sf.NormalInverseWishart([0, 0], 1, 3, eye).predict().logpdf([[1], [2]]),
            errors.ShapeError,
            "outcomes",
        ),
        (lambda: sf.Dirichlet([1, 2, 3]).predict(6).pmf(2), errors.ShapeError, "outcomes"),
        (lambda: sf.Beta([1, 2], 1).predict(5).pmf(range(6)), errors.ShapeError, r"x\[:, None\]"),
        (lambda: sf.Beta([1, 2], 1).predict([1, 2, 3]), errors.ShapeError, "broadcast"),
        (lambda: sf.Beta().predict().pmf("a"), errors.KindError, "'x'"),
        (lambda: sf.Dirichlet([1, 2]).predict([5, 6]), errors.ShapeError, "one number"),
        (
            lambda: sf.NormalInverseWishart([0, 0], 1, 3, eye).update(values=[[1e8, 1e8], [2e8, 2e8]]),
            errors.DataError,
            "collinear.*enlarge 'scale'",
        ),
        (
            lambda: sf.NormalInverseGamma(1e155, 1, 1, 1).update(values=[1.0]),
            errors.DataError,
            "far from the parameter",
        ),
        (
            lambda: sf.NormalInverseWishart([0, 0], 1, 3, [[[1, 0.05], [0, 1]], 1e9 * eye]),
            errors.PriorError,
            "symmetric",
        ),
        (
            lambda: sf.NormalInverseGamma(0, 0, 1, 1).log_evidence(values=[1.0], weights=[0.5]),
            errors.DataError,
            "at least 1; got 0.5",
        ),
        (lambda: sf.Beta([[1, 2], [3]], 1), errors.ShapeError, "ragged"),
        (lambda: sf.Beta().update(heads=[[1, 2], [3]]), errors.ShapeError, "'heads'.*ragged"),
        (lambda: sf.Beta().update(values=[[1, 0], [1]]), errors.ShapeError, "'values'.*ragged"),
        (lambda: sf.Beta(np.ma.array([1.0, 2.0], mask=[False, True]), 1), errors.DataError, "masked"),
        (lambda: sf.Beta().update(heads=[]), errors.DataError, "at least one number"),
        (lambda: sf.Beta().interval("a"), errors.InputError, "'level'"),
        (lambda: sf.Beta().interval([0.5, 0.9]), errors.InputError, "'level'"),
        (lambda: sf.Beta().sample(size=2.7), errors.InputError, "'size'"),
        (lambda: sf.Beta().sample(size=-1), errors.InputError, "'size'"),
        (lambda: sf.Beta().sample(rng="abc"), errors.InputError, "'rng'"),
        (lambda: sf.Beta().sample(rng=-1), errors.InputError, "'rng'"),
        (lambda: sf.Beta().prior_weight(3, of="median"), errors.InputError, "'of'"),
        (lambda: sf.Dirichlet.symmetric(0, 1), errors.PriorError, "'categories'"),
        (lambda: sf.Dirichlet.symmetric(2.5, 1), errors.PriorError, "'categories'"),
        (lambda: sf.Beta(alpha=1), errors.KeywordError, "Beta takes the arguments a, b; got 'alpha'"),
        (lambda: sf.Beta().interval(levl=0.9), errors.KeywordError, "Did you mean 'level'?"),
        (lambda: sf.Beta().predict(trial=3), errors.KeywordError, "Did you mean 'trials'?"),
        (lambda: sf.WaitingRate(1, 1).predict(3), errors.KeywordError, "WaitingRate.predict takes no arguments"),
        (lambda: sf.Gamma(1, 1).predict(-1), errors.DataError, "'exposure' must hold numbers of at least 0"),
        (lambda: sf.Gamma(1, 1).update(exposures=[1]), errors.KeywordError, "'exposures' of Gamma needs 'values'"),
        (lambda: sf.Gamma(1, 1).update(values=[1, 2], exposures=[1]), errors.ShapeError, "one number per row.* 2,"),
        (
            lambda: sf.Gamma(1, 1).update(values=[1], exposures=[0]),
            errors.DataError,
            "must be 0 where 'exposures' is 0",
        ),
        (lambda: sf.Gamma(1, 1).update(values=[1], exposures=[-1]), errors.DataError, "'exposures' must hold numbers"),
        (lambda: sf.Dirichlet.symmetric(4), errors.KeywordError, "takes the arguments categories, strength"),
        (lambda: sf.Dirichlet([1, 1]).update(counts=[]), errors.DataError, "'counts'.*got none"),
        (lambda: sf.Gamma(1e30, 1).predict().sample(), errors.InputError, "rates up to 1e18"),
        (lambda: sf.Beta().update(3, 17), errors.KeywordError, "Beta.update takes the arguments heads, tails"),
    ],
)
def test_one_clear_sentence(call: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, errors.SufficeError)
    assert isinstance(caught.value, ValueError | TypeError)
    assert str(caught.value).endswith((".", "?"))


def test_numbers_of_any_length_are_numbers() -> None:
    assert sf.Beta(10**30, 1).a == 1e30
    assert sf.Beta().sample(None, 0) == sf.Beta().sample(rng=0)


def test_messages_are_one_line() -> None:
    with pytest.raises(errors.NoUniqueMode) as caught:
        _ = sf.Beta(np.ones((20, 20)), 1).mode
    assert "\n" not in str(caught.value)


def test_threads_must_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.InputError, match="'n' of threads"), sf.threads(0):
        pass
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "many")
    with pytest.raises(errors.InputError, match="SUFFICE_NUM_THREADS must be a whole number of at least 1; got 'many'"):
        sf.Beta().update(values=[1])
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "2")
    assert parallel.thread_count() == 2
