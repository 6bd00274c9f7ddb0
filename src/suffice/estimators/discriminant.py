"""Gaussian discriminants: a normal distribution of real vectors per class, by their moments."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from suffice.errors import KindError, PriorError
from suffice.estimators.base import NaiveBayesClassifier
from suffice.estimators.deciding import Deciding
from suffice.estimators.normal_shares import NormalShares
from suffice.estimators.shared import ESTIMATES
from suffice.estimators.validation import validate_data
from suffice.estimators.views import TEMPER, is_loo
from suffice.models import Gaussian, Scorer
from suffice.models.coordinates import Coordinates, coordinates, plane
from suffice.models.discriminant import Discriminant, SingularCovariance
from suffice.models.empirical.normals import belief_about_normals
from suffice.models.logs import log
from suffice.models.removal import group_codes
from suffice.models.sample import some_rows
from suffice.models.empirical.covariances import ENOUGH, POWERS, Spread, by_evidence, by_parts, parts_of
from suffice.models.empirical.weak import weak_vectors
from suffice.posterior import Dirichlet, NormalInverseGamma, NormalInverseWishart
from suffice.stats import DiagonalMoments, FullMoments, Statistic
from suffice.stats.words import read_weights
from suffice.typing import Array

__all__ = ["GaussianDiscriminant"]

OWN_SCALE = StrOptions({"loo", "evidence"})


class GaussianDiscriminant(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, Deciding, NormalShares, NaiveBayesClassifier
):
    """Classes of real vectors that are normally distributed: QDA, LDA and naive Bayes as one model, Bayesian or not.

    With `estimate="predictive"` means and covariances are integrated out: each class is a Student-t, which knows how
    few rows there were, and works where there are fewer rows than columns.

    Parameters
    ----------
    covariance : {"full", "shared", "diagonal"}, default="full"
        A covariance matrix for each class (QDA), one for all of them (LDA), or a variance for each class and column.
    estimate : {"predictive", "mle", "map", "mean"}, default="predictive"
        How means and covariances are estimated: integrated out, or plugged in.
    prior : "loo", "evidence", NormalInverseWishart or NormalInverseGamma, default="loo"
        Belief about mean and covariance, of all classes or of each; not used by "mle". "evidence" takes a flat mean
        and a diagonal `scale` in the columns' own units, whose size and `nu` make the training rows most probable.
        "loo" takes that with which nine tenths of the rows tell the classes of the others best, and the evidence where
        rows do not tell. A diagonal covariance has a NormalInverseGamma, of highest evidence in either case.
    priors : array of shape (n_classes,) or Dirichlet, default=None
        Class probabilities, or a belief about them; as in the data if not given.
    n_components : int, default=None
        Coordinates that `transform` gives; at most as many as columns, and one fewer than classes.
    temper : float, pair of floats, "loo" or None, default="loo"
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by
        leave-one-out on the rows that are given to fit. The class prior is not tempered.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_, intercept_ : ndarrays of shape (n_classes, n_features) and (n_classes,)
        Of a shared covariance that is plugged in: joint log-probabilities are linear in the row, but for what all
        classes have in common.
    covariance_ : ndarray
        Covariance as plugged in, or expected: (n_classes, n_features, n_features), (n_features, n_features) if shared,
        variances (n_classes, n_features) if diagonal. Infinite where too few rows leave it unknown.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    prior_ : NormalInverseWishart, NormalInverseGamma or None
        The belief in use.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them.

    See Also
    --------
    LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis : With scikit-learn's parameters and numbers.

    Examples
    --------
    Two classes of four rows each, in ten dimensions:

    >>> import numpy as np
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(8, 10)) + 2 * (np.arange(8) % 2)[:, None]
    >>> model = sf.GaussianDiscriminant().fit(X, np.arange(8) % 2)
    >>> model.predict_proba([[0] * 10, [1] * 10, [2] * 10]).round(2)
    array([[1.  , 0.  ],
           [0.35, 0.65],
           [0.  , 1.  ]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "covariance": [StrOptions({"full", "shared", "diagonal"})],
        "estimate": [ESTIMATES],
        "prior": [OWN_SCALE, NormalInverseWishart, NormalInverseGamma],
        "priors": ["array-like", Dirichlet, None],
        "n_components": [int, np.integer, None],
        "temper": TEMPER,
    }

    class_count_: Array
    class_prior_: Array
    prior_: Any

    def __init__(
        self,
        covariance: Any = "full",
        estimate: Any = "predictive",
        *,
        prior: Any = "loo",
        priors: Any = None,
        n_components: Any = None,
        temper: Any = "loo",
    ) -> None:
        self.covariance = covariance
        self.estimate = estimate
        self.prior = prior
        self.priors = priors
        self.n_components = n_components
        self.temper = temper

    def _must_share(self) -> None:
        if self.estimate == "mle" and self.covariance != "shared":
            raise KindError(
                "The 'estimate' parameter of GaussianDiscriminant must be 'predictive', 'mean' or 'map' to learn "
                "without labels, where a covariance may shrink to nothing; got 'mle' with "
                f"covariance={self.covariance!r}."
            )

    def _settle(self, rows: int) -> None:
        self._view("scorer", self._make_scorer)

    def _coarse(self, whole: dict[str, Any], k: int) -> dict[str, Any]:
        own = self.covariance == "full"
        return {"covariance": "shared", "prior": weak_vectors(whole["features"], k)} if own else {}

    @property
    def means_(self) -> Array:
        """Mean of each class."""
        check_is_fitted(self)
        return self._parameters()[0]

    @property
    def covariance_(self) -> Array:
        """Covariance of each class, or of all."""
        check_is_fitted(self)
        found = self._parameters()[1]
        return found[0] if self.covariance == "shared" else found

    def _plane(self) -> tuple[Array, Array]:
        """Weights and offsets of joint log-probabilities."""
        check_is_fitted(self)
        if self.covariance != "shared" or self.estimate == "predictive":
            raise AttributeError("Scores are linear only with covariance='shared' and a plugged-in estimate.")
        known: Any = self._make_scorer()
        return plane(known, self._log_prior())

    @property
    def coef_(self) -> Array:
        """Weight of each column in each class's joint log-probability."""
        return self._plane()[0]

    @property
    def intercept_(self) -> Array:
        """Offset of each class's joint log-probability."""
        return self._plane()[1]

    def transform(self, X: Any) -> Array:
        """Discriminant coordinates: where classes are apart, in units of the spread within them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            The first of them tells most. Within classes, taken together, they are uncorrelated and of variance one.
        """
        check_is_fitted(self)
        found = self._coordinates()
        rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return np.asarray((rows - found.centre) @ found.axes, rows.dtype)

    @property
    def explained_variance_ratio_(self) -> Array:
        """Share of each discriminant coordinate in what tells classes apart."""
        check_is_fitted(self)
        return self._coordinates().shares

    @property
    def _n_features_out(self) -> int:
        return int(self._coordinates().axes.shape[1])

    def _coordinates(self) -> Coordinates:
        found: Coordinates = self._view("coordinates", self._make_coordinates)
        return found

    def _make_coordinates(self) -> Coordinates:
        t: Any = self._features
        return coordinates(t, self.prior_, self.class_prior_, self.n_components)

    def _parameters(self) -> tuple[Array, Array]:
        def make() -> list[Array]:
            t: Any = self._features
            of: Any = self._event.parameters if self.covariance == "diagonal" else self._event.covariances
            return [np.array(part) for part in of(t)]

        mean, covariance = self._view("parameters", make)
        return mean, covariance

    def _read(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite=False)
        return X, y

    def _read_rows(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite=False)

    def _kind_of_features(self) -> type[Statistic]:
        return DiagonalMoments if self.covariance == "diagonal" else FullMoments

    def _count(self, X: Any, codes: Any, weights: Any, n_classes: int, fresh: bool) -> Statistic:
        return self._kind_of_features().of(X, codes, weights, n_classes=n_classes, name="X")

    def _remake(self) -> None:
        t: Any = self._features
        self.class_count_ = self._classes.counts.copy()
        self.class_prior_ = np.exp(self._log_prior_of(self.class_count_))
        self.prior_ = None if self.estimate == "mle" else self._belief_about(t)
        if self.covariance == "diagonal":
            self._event = Gaussian(0.0, self.prior_, self.estimate)
        else:
            self._event = Discriminant(self.covariance, self.estimate, self.prior_)

    def _belief_about(self, t: Any) -> Any:
        diagonal = self.covariance == "diagonal"
        if not isinstance(self.prior, str):
            kind = NormalInverseGamma if diagonal else NormalInverseWishart
            width = self.prior.m.shape[-1:] if isinstance(self.prior, NormalInverseWishart) else (self.n_features_in_,)
            if not isinstance(self.prior, kind) or width != (self.n_features_in_,):
                raise PriorError(
                    f"The 'prior' parameter of GaussianDiscriminant must be a {kind.__name__} of {self.n_features_in_} "
                    f"columns for covariance={self.covariance!r}; got {self.prior!r}."
                )
            if self.covariance == "shared" and self.prior.batch_shape:
                raise PriorError(
                    "The 'prior' parameter of GaussianDiscriminant must be one belief for all classes where they share "
                    f"a covariance; got a batch of shape {self.prior.batch_shape}."
                )
            return self.prior
        if diagonal:
            return belief_about_normals(t)
        chosen = self._chosen.get("prior") if is_loo(self.prior) else None
        spread: Spread = by_evidence(t, self.covariance) if chosen is None else chosen
        return spread.prior(t)

    def _asks_for_a_prior(self) -> bool:
        return is_loo(self.prior) and self.estimate != "mle" and self.covariance != "diagonal"

    def _choose_prior(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> None:
        """By rows that are judged without their part of them."""
        t: Any = self._features
        codes = self._codes_of(y)
        weights = read_weights(sample_weight, len(codes))
        weights = np.ones(len(codes)) if weights is None else weights
        group = None if groups is None else group_codes(groups, len(codes))
        few = some_rows(len(codes), ENOUGH, group)
        codes, weights, part = codes[few], weights[few], parts_of(codes[few], None if group is None else group[few])
        rows = np.asarray(self._read_rows(X), np.float64)[few]
        powers = POWERS if is_loo(self.temper) else (self.temper_.power,)
        found = by_parts(t, self.covariance, (rows, codes, weights, part), self._log_prior_of, powers)
        if found is not None:
            self._chosen = {**self._chosen, "prior": found}
            self._set_statistics(self.classes_, self._get_statistics())

    def _make_scorer(self) -> Scorer:
        try:
            return super()._make_scorer()
        except SingularCovariance as error:
            label = None if error.code is None else self.classes_.tolist()[error.code]
            raise SingularCovariance(error.why, error.code, label) from None

    def _scorer_of(self, t: Any, n: Array) -> Scorer:
        if self.covariance == "diagonal" and self.estimate == "mle":
            constant = np.argwhere((t.scatter <= 0) & (n[:, None] > 0))
            if len(constant):
                raise SingularCovariance(f"column {constant[0][1]} does not vary", int(constant[0][0]))
        scorer: Scorer = self._event.scorer(t)
        return scorer

    def _evidence_cells(self) -> tuple[Any, Any, Array | None]:
        names, cells, others = super()._evidence_cells()
        return names if self.covariance == "diagonal" else ["all columns"], cells, others

    def _log_prior_of(self, counts: Array) -> Array:
        if isinstance(self.priors, Dirichlet):
            if self.priors.alpha.shape != counts.shape[-1:]:
                raise ValueError(
                    f"The 'priors' parameter must be a Dirichlet of {counts.shape[-1]} classes. Got one of shape "
                    f"{self.priors.alpha.shape} instead."
                )
            belief = self.priors.alpha + counts
            return np.asarray(np.log(belief / belief.sum(axis=-1, keepdims=True)))
        if self.priors is None:
            total = counts.sum(axis=-1, keepdims=True)
            return log(counts / np.where(total > 0, total, 1.0))
        priors = np.asarray(self.priors, np.float64)
        if priors.shape != counts.shape[-1:]:
            raise ValueError("Number of priors must match number of classes.")
        if (priors < 0).any() or not np.isclose(priors.sum(), 1.0):
            raise ValueError("The 'priors' parameter must hold probabilities that sum to 1.")
        return np.broadcast_to(log(priors), counts.shape)

    def _log_prior(self) -> Array:
        return self._log_prior_of(self.class_count_)
