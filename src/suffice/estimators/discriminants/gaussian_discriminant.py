"""Gaussian discriminant analysis from moments: a multivariate normal distribution per class."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.discriminants.analyses import decision_function
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    CLASS_PRIOR,
    ESTIMATES,
    TEMPER,
    ClassPriorLike,
    Constraints,
    Estimate,
    ReadOptions,
    StrOptions,
    Tempering,
    is_loo,
    validate_data,
    wanted_of,
)
from suffice.models.choosing.chooser import Wanted
from suffice.models.likelihoods.base import Likelihood
from suffice.models.likelihoods.discriminant import Discriminant
from suffice.models.likelihoods.discriminant_analysis import DiagonalDiscriminant
from suffice.models.scoring.ellipses import Ellipses, SingularMatrix, centre_of, roots_of
from suffice.models.views import Views
from suffice.posterior import NormalInverseGamma, NormalInverseWishart
from suffice.readers.labels import Given
from suffice.stats.moments import DiagonalMoments, FullMoments
from suffice.typing import Array, DataLike, Names


class GaussianDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MatrixClassifier):
    """Model each class by a normal distribution: QDA, LDA and Gaussian naive Bayes in one class, Bayesian or not.

    With `estimate="predictive"`, means and covariances are integrated out: each class is a Student-t distribution,
    which accounts for small samples, also where there are fewer rows than columns.

    Parameters
    ----------
    covariance : {"full", "shared", "diagonal"}, default="full"
        One covariance matrix per class (QDA), one for all classes (LDA), or one variance per class and column.
    estimate : {"predictive", "mle", "map", "mean"}, default="predictive"
        How means and covariances are estimated: integrated out with "predictive", plugged in otherwise.
    prior : "loo", "evidence", NormalInverseWishart or NormalInverseGamma, default="loo"
        Prior of means and covariances, one for all classes or one per class; "mle" ignores it. "evidence" takes a flat
        prior of the mean and a diagonal `scale` in the units of the columns, whose size and `nu` maximize the evidence
        of the training rows. "loo" chooses these by ten-fold log loss on at most 3,000 rows, and by evidence among
        priors that predict equally well. A diagonal covariance has a NormalInverseGamma prior, which maximizes the
        evidence in both cases.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Prior over the classes. A number is the pseudo-count of every class, a Dirichlet holds one per class; `estimate`
        says how pseudo-counts and rows are combined. "counted" uses the class frequencies of the rows, "uniform" gives
        every class the same probability, and an array fixes the probabilities.
    n_components : int, default=None
        Number of coordinates that `transform` returns: at most the number of columns, and of classes minus one. If not
        given, the largest possible number.
    temper : float, "loo" or None, default="loo"
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_, intercept_ : ndarrays of shape (n_classes, n_features) and (n_classes,)
        Weights and offsets of the scores, as in scikit-learn and with `temper` applied; only with a plugged-in shared
        covariance, where scores are linear. For two classes, those of the log-odds of the second class, of shape
        (1, n_features) and (1,).
    covariance_ : ndarray
        The plugged-in covariance, or its posterior mean, of shape (n_classes, n_features, n_features); of shape
        (n_features, n_features) if shared; variances of shape (n_classes, n_features) if diagonal. Infinite if there
        are too few rows for the posterior mean to exist.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    prior_ : NormalInverseWishart, NormalInverseGamma or None
        The prior in use; None with "mle".
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    See Also
    --------
    LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis : Drop-ins with scikit-learn's parameters and results.

    Examples
    --------
    Two classes of four rows each, in ten dimensions:

    >>> import numpy as np
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(8, 10)) + 2 * (np.arange(8) % 2)[:, None]
    >>> model = sf.GaussianDiscriminant().fit(X, np.arange(8) % 2)
    >>> model.predict_proba([[0] * 10, [1] * 10, [2] * 10]).round(2)
    array([[0.98, 0.02],
           [0.47, 0.53],
           [0.01, 0.99]])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "covariance": [StrOptions({"full", "shared", "diagonal"})],
        "estimate": [ESTIMATES],
        "prior": [StrOptions({"loo", "evidence"}), NormalInverseWishart, NormalInverseGamma],
        "class_prior": CLASS_PRIOR,
        "n_components": [int, np.integer, None],
        "temper": TEMPER,
    }
    _reading: ClassVar[ReadOptions] = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}

    def __init__(
        self,
        covariance: Literal["full", "shared", "diagonal"] = "full",
        estimate: Estimate = "predictive",
        *,
        prior: NormalInverseWishart | NormalInverseGamma | Literal["loo", "evidence"] = "loo",
        class_prior: ClassPriorLike = 1.0,
        n_components: int | None = None,
        temper: Tempering | None = "loo",
    ) -> None:
        self.covariance = covariance
        self.estimate = estimate
        self.prior = prior
        self.class_prior = class_prior
        self.n_components = n_components
        self.temper = temper

    def _likelihood(self, views: Views) -> Likelihood:
        prior: Any = (
            None if self.estimate == "mle" else views.prior or ("evidence" if is_loo(self.prior) else self.prior)
        )
        if self.covariance == "diagonal":
            return DiagonalDiscriminant(prior, estimate=self.estimate)
        return Discriminant(self.covariance, self.estimate, prior)

    def _wanted(self, rows: int) -> Wanted | None:
        chosen = is_loo(self.prior) and self.estimate != "mle" and self.covariance != "diagonal"
        return wanted_of(self, prior=chosen)

    def _settle(self, rows: int) -> None:
        with self._classes_named():
            _ = self._block.scorer

    @contextmanager
    def _complaints(self, X: Given) -> Iterator[None]:
        with super()._complaints(X), self._classes_named():
            yield

    @contextmanager
    def _classes_named(self) -> Iterator[None]:
        """Add the label of the class to an error about its singular covariance."""
        try:
            yield
        except SingularMatrix as error:
            label = None if error.code is None else self.classes_.tolist()[error.code]
            raise SingularMatrix.of(error.why, error.code, label) from None

    def _evidence_names(self) -> Names | None:
        return ["all columns"] if self.covariance != "diagonal" else super()._evidence_names()

    decision_function = decision_function

    @property
    def prior_(self) -> Any:
        """The prior in use; None with "mle"."""
        settled: Any = self._block.settled
        return settled.prior

    @property
    def class_prior_(self) -> Array:
        """Probability of each class."""
        check_is_fitted(self)
        return np.exp(self._predictor.log_prior)

    @property
    def means_(self) -> Array:
        """Mean of each class."""
        return self._parameters()[0]

    @property
    def covariance_(self) -> Array:
        """Covariance of each class, or of all classes if shared."""
        found = self._parameters()[1]
        return found[0] if self.covariance == "shared" else found

    def _parameters(self) -> tuple[Array, Array]:
        settled: Any = self._block.settled
        of = settled.parameters if self.covariance == "diagonal" else settled.covariances
        mean, covariance = (np.array(part) for part in of(self._block.t))
        return mean, covariance

    def _plane(self) -> tuple[Array, Array]:
        """Return weights and offsets of the linear scores; raise AttributeError if scores are not linear."""
        check_is_fitted(self)
        if self.covariance != "shared" or self.estimate == "predictive":
            raise AttributeError(
                "Scores are linear only with covariance='shared' and estimate='mle', 'map' or 'mean'; got "
                f"covariance={self.covariance!r}, estimate={self.estimate!r}."
            )
        with self._classes_named():
            scorer: Any = self._block.scorer
        return plane(scorer, self._predictor.log_prior, self._predictor.temper.power)

    @property
    def coef_(self) -> Array:
        """Weights of the columns in the score of each class, or in the log-odds of two classes."""
        return self._plane()[0]

    @property
    def intercept_(self) -> Array:
        """Offset of the score of each class, or of the log-odds of two classes."""
        return self._plane()[1]

    def transform(self, X: DataLike) -> Array:
        """Return discriminant coordinates: directions that separate the classes, in units of the spread within classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            The first coordinate separates the classes best. Pooled within classes, coordinates are uncorrelated with
            variance one.
        """
        check_is_fitted(self)
        found = self._coordinates()
        rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return np.asarray((rows - found.centre) @ found.axes, rows.dtype)

    @property
    def explained_variance_ratio_(self) -> Array:
        """Share of the variance between classes that lies along each discriminant coordinate."""
        return self._coordinates().shares

    @property
    def _n_features_out(self) -> int:
        return int(self._coordinates().axes.shape[1])

    def _coordinates(self) -> Coordinates:
        return coordinates(self._block.t, self.prior_, self.class_prior_, self.n_components)


@dataclass(frozen=True)
class Coordinates:
    """Discriminant coordinates (x − centre)·axes, and each axis's share of the variance between classes."""

    centre: Array
    axes: Array
    shares: Array


def plane(known: Ellipses, log_prior: Array, power: float) -> tuple[Array, Array]:
    """Return weights and offsets of linear scores: one per class, or those of the log-odds for two classes.

    Scores are exact up to a constant. Likelihoods are raised to `power`, the class prior is not.
    """
    by = float(known.law.divisor(known.nu[0])) * power
    precision = known.root[0] @ known.root[0].T * by
    weights = known.mean @ precision
    offsets = log_prior - 0.5 * np.einsum("ij,ij->i", known.mean, weights)  # GD-5
    if len(log_prior) == 2:
        return weights[1:] - weights[:1], offsets[1:] - offsets[:1]
    return weights, offsets


def coordinates(t: FullMoments | DiagonalMoments, prior: object, share: Array, most: int | None) -> Coordinates:
    """Return the principal axes of the class means, in units of the covariance within classes."""
    widest = min(t.mean.shape[1], max(int((t.n[:, 0] > 0).sum()) - 1, 0))
    if most is not None and not 1 <= most <= widest:
        raise InputError(
            f"n_components cannot be larger than min(n_features, n_classes - 1) = {widest}, nor below 1; got {most}."
        )
    root = roots_of(within(t, prior)[None])[0][0]
    centre = centre_of(t.mean, share)
    _, length, turn = np.linalg.svd(np.sqrt(share)[:, None] * ((t.mean - centre) @ root), full_matrices=False)
    kept = slice(widest if most is None else most)
    total = float(np.square(length[:widest]).sum())
    return Coordinates(centre, root @ turn[kept].T, np.square(length[kept]) / (total if total > 0 else 1.0))


def within(t: FullMoments | DiagonalMoments, prior: object) -> Array:
    """Return the covariance within classes, from their rows and the scale of the prior."""
    n, d = float(t.n[:, 0].sum()), t.mean.shape[1]
    scatter = t.scatter.sum(axis=0)
    scatter = scatter if scatter.ndim == 2 else np.diag(scatter)
    if isinstance(prior, NormalInverseWishart):
        scale = prior.scale if prior.scale.ndim == 2 else prior.scale.mean(axis=0)
        return np.asarray((scatter + scale) / (n + float(np.mean(prior.nu)) + d + 2))
    if isinstance(prior, NormalInverseGamma):
        return np.asarray((scatter + np.diag(np.broadcast_to(2 * np.asarray(prior.b), d))) / (n + 2 * np.mean(prior.a)))
    return np.asarray(scatter / n)
