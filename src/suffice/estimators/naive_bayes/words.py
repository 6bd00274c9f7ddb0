"""Naive Bayes for word counts: multinomial, complement, and bursty words; with what classes of pseudo-counts share."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, PriorError
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    COUNTS,
    EVIDENCE,
    LENGTH_EXPONENT,
    LOO,
    RIDGE,
    SKLEARN_PRIOR,
    Alpha,
    ClassPriorLike,
    Constraints,
    Estimate,
    Interval,
    StrOptions,
    Tempering,
    Vector,
    counts_of_belief,
    is_loo,
    wanted_of,
)
from suffice.models.choosing.chooser import Wanted
from suffice.models.likelihoods.complement import Complement
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.polya import Polya, Urns
from suffice.models.views import Views
from suffice.posterior import Dirichlet
from suffice.posterior.base import Conjugate
from suffice.readers.labels import Given
from suffice.stats.inputs import COUNT, WHOLE
from suffice.telling import tell
from suffice.typing import Array, Integers

Belief: TypeAlias = Conjugate[Any]
"""A prior of the parameters of a feature."""


class HasFeatures(Protocol):
    """An estimator that knows the number of features."""

    n_features_in_: int


class Smoothed(HasFeatures, Protocol):
    """An estimator that has pseudo-counts."""

    @property
    def alpha(self) -> Alpha | Belief | Literal["evidence"]:
        """The pseudo-counts."""


SMALLEST_ALPHA = 1e-10


def alpha_in_use(self: MatrixClassifier) -> float | Vector | Belief:
    """The pseudo-counts in use: as given, or as "evidence" or "loo" chose them."""
    check_is_fitted(self)
    given: float | Vector | Belief | str = getattr(self, "alpha")  # noqa: B009 - a parameter of each class
    if not isinstance(given, str):
        return given
    settled: Any = self._block.settled
    if given == "evidence" and isinstance(getattr(settled, "prior", None), Conjugate):
        prior: Belief = settled.prior
        return prior
    name = next(name for name in ("alpha", "shape", "a") if hasattr(settled, name))
    return float(np.ravel(getattr(settled, name))[0])


def total_counts(self: MatrixClassifier) -> Array:
    """Total count of each feature in each class."""
    return np.asarray(self._statistic.counts)


class MultinomialNB(MatrixClassifier):
    """Naive Bayes for word counts: a document of any length is a row of counts, one per word.

    A drop-in for scikit-learn's class of the same name, with more ways to estimate.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Dirichlet, "evidence" or "loo", default=1.0
        Pseudo-count added to the count of every word, or one per word; 0 disables smoothing. "evidence" chooses the
        number that maximizes the evidence of the training rows; "loo" chooses the number that minimizes the
        leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Whether to learn the class prior from the data; otherwise it is uniform.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        Prior over the classes. An array fixes the probabilities; a number is the pseudo-count of every class, a
        Dirichlet holds one per class, and `estimate` says how pseudo-counts and rows are combined. "counted" and
        "uniform" equal `fit_prior` True and False. If not given, `fit_prior` decides.
    estimate : {"mle", "map", "mean", "predictive"}, default="mean"
        How word probabilities are estimated: by maximum likelihood, by the posterior mode or mean, or not at all,
        because they are integrated out: the Dirichlet-multinomial then scores the whole document.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.
    length_exponent : float, "loo" or None, default="loo"
        Exponent of document length: a document of length n has the temper divided by n to this exponent. "loo" chooses
        it together with the temper, and is 0 if `temper` is a number or None; None is 0.
    feature_powers : "loo" or None, default=None
        Feature powers: an exponent per word, so that what several words repeat counts once. "loo" fits them
        so that each row is predicted best from the others; it needs a single alpha above 0, an estimate other than
        "predictive", and at most 128 classes unless `ridge` is given. None gives every word power 1.
    ridge : float, default=None
        Strength of the ridge penalty that shrinks feature powers toward 1. If not given, it minimizes the log loss on
        held-out rows.

    Attributes
    ----------
    alpha_ : float, ndarray or Dirichlet
        The pseudo-counts in use.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each word in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Log-probability of each word in each class.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the words, if X had them.
    feature_powers_ : ndarray of shape (n_features,)
        The power of each word: near 0 if other words carry the same information.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[2, 1, 0], [1, 2, 0], [0, 1, 3], [0, 0, 2]]
    >>> model = sf.MultinomialNB().fit(X, ["ham", "ham", "spam", "spam"])
    >>> model.predict([[1, 1, 0], [0, 1, 2]])
    array(['ham', 'spam'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **COUNTS,
        **SKLEARN_PRIOR,
        "alpha": [*COUNTS["alpha"], Dirichlet, EVIDENCE],
        "length_exponent": LENGTH_EXPONENT,
        "feature_powers": [LOO, None],
        "ridge": RIDGE,
    }
    _tags = ("sparse", "positive_only", "poor_score")
    _allowed = COUNT

    def __init__(
        self,
        *,
        alpha: Alpha | Dirichlet | Literal["evidence"] = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ClassPriorLike | None = None,
        estimate: Estimate = "mean",
        temper: Tempering | None = None,
        length_exponent: Tempering | None = "loo",
        feature_powers: Literal["loo"] | None = None,
        ridge: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.estimate = estimate
        self.temper = temper
        self.length_exponent = length_exponent
        self.feature_powers = feature_powers
        self.ridge = ridge

    alpha_ = property(alpha_in_use)
    feature_count_ = property(total_counts)

    def _likelihood(self, views: Views) -> Multinomial:
        return Multinomial(pseudo_counts(self, views), self.estimate)

    def _wanted(self, rows: int) -> Wanted | None:
        if is_loo(self.feature_powers):
            alpha = None if isinstance(self.alpha, Dirichlet) else checked_alpha(self, Views())
            if (
                alpha is None
                or np.ndim(alpha)
                or (not isinstance(alpha, str) and alpha <= 0)
                or self.estimate == "predictive"
            ):
                raise InputError(
                    "The 'feature_powers' parameter of MultinomialNB can be 'loo' only with a single alpha above 0 "
                    f"and an estimate other than 'predictive'; got alpha={self.alpha!r}, estimate={self.estimate!r}."
                )
        return wanted_of(self, weights="features" if is_loo(self.feature_powers) else None, ridge=self.ridge)

    @property
    def feature_log_prob_(self) -> Array:
        """Log-probability of each word in each class."""
        settled = self._settled_as(Multinomial)
        return np.asarray(settled.log_theta(self._block.t).values)

    @property
    def feature_powers_(self) -> Array:
        """The power of each word: near 0 if other words carry the same information."""
        check_is_fitted(self)
        powers = self._block.powers(self._predictor.views.weights)
        return np.ones(self.n_features_in_) if powers is None else powers


class ComplementNB(MatrixClassifier):
    """Naive Bayes for word counts in uneven classes: each class is described by the words of all other classes.

    A drop-in for scikit-learn's class of the same name (Rennie et al. 2003). It ignores the class prior, unless there
    is only one class.

    Parameters
    ----------
    alpha : float, array of shape (n_features,), Dirichlet or "loo", default=1.0
        Pseudo-count added to the count of every word, or one per word; 0 disables smoothing. "loo" chooses the number
        that minimizes the leave-one-out log loss.
    force_alpha : bool, default=True
        If False, an alpha below 1e-10 is raised to 1e-10, with a warning.
    fit_prior : bool, default=True
        Used only with a single class, and for `class_log_prior_`.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=None
        As for ``MultinomialNB``; like `fit_prior`, not used for predictions unless there is only one class.
    norm : bool, default=False
        Whether to divide each class's weights by their sum.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.
    length_exponent : float, "loo" or None, default="loo"
        Exponent of document length: a document of length n has the temper divided by n to this exponent. "loo" chooses
        it together with the temper, and is 0 if `temper` is a number or None; None is 0.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    feature_all_ : ndarray of shape (n_features,)
        Total count of each word.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total count of each word in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weight of each word in the score of each class.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the words, if X had them.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[2, 1, 0], [1, 2, 0], [0, 1, 3], [0, 0, 2]]
    >>> sf.ComplementNB().fit(X, [0, 0, 1, 1]).predict([[1, 1, 0], [0, 1, 2]])
    array([0, 1])
    """

    _gives_rows_a_probability: ClassVar[bool] = False
    _parameter_constraints: ClassVar[Constraints] = {
        **{name: rule for name, rule in COUNTS.items() if name != "estimate"},
        **SKLEARN_PRIOR,
        "alpha": [*COUNTS["alpha"], Dirichlet, LOO],
        "norm": ["boolean"],
        "length_exponent": LENGTH_EXPONENT,
    }
    _tags = ("sparse", "positive_only", "poor_score")
    _allowed = COUNT
    _flat_prior = True

    def __init__(
        self,
        *,
        alpha: Alpha | Dirichlet = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: ClassPriorLike | None = None,
        norm: bool = False,
        temper: Tempering | None = None,
        length_exponent: Tempering | None = "loo",
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.temper = temper
        self.length_exponent = length_exponent

    alpha_ = property(alpha_in_use)
    feature_count_ = property(total_counts)

    def _likelihood(self, views: Views) -> Complement:
        alpha = pseudo_counts(self, views)
        assert not isinstance(alpha, str)
        return Complement(alpha, self.norm)

    @property
    def feature_all_(self) -> Array:
        """Total count of each word."""
        return np.asarray(self.feature_count_.sum(axis=0))

    @property
    def feature_log_prob_(self) -> Array:
        """Weight of each word in the score of each class."""
        scorer: Any = self._block.scorer
        return np.asarray(scorer.columns(np.arange(self.n_features_in_)))


class DirichletMultinomialNB(MatrixClassifier):
    """Naive Bayes for bursty words: a document of any length is a row of whole counts, one per word.

    A word that occurs once in a document is likely to occur again, the more so the rarer it is. The multinomial cannot
    describe this; the Dirichlet compound multinomial, or Pólya urn, can. The urn of each class is fitted by maximum
    likelihood to counts of counts (the number of documents with a word once, twice, …), which add and subtract like
    all statistics here.

    Parameters
    ----------
    method : {"dcm", "edcm"}, default="dcm"
        The model itself, or Elkan's approximation, which uses the words that occur and the length of a document, but
        not how often each word is repeated. The approximation is fitted by a single equation in about a quarter of the
        time, but its "probabilities" of documents do not sum to one.
    alpha : float or array of shape (n_features,), default=0.03
        Prior, as pseudo-documents of one word each that are added to every class. An array gives the number per word; a
        number is their average, distributed over the words in proportion to the number of documents that contain each
        of them, plus one. With 0, a word that never occurs in a class is impossible there. The prior concerns the mean
        of the urn, not its burstiness.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Prior over the classes. A number is the pseudo-count added to the rows of every class, a Dirichlet holds one per
        class. "counted" uses the class frequencies of the rows, "uniform" gives every class the same probability, and
        an array fixes the probabilities.
    max_iter : int, default=100
        Largest number of steps that fit an urn; about six are typical.
    tol : float, default=1e-6
        Relative tolerance: a fit ends when no parameter of the urn changes by a larger fraction.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, which calibrates probabilities; the class prior is not tempered. "loo"
        chooses it by leave-one-out on the training rows; None is 1.
    length_exponent : float, "loo" or None, default="loo"
        Exponent of document length: a document of length n has the temper divided by n to this exponent. "loo" chooses
        it together with the temper, and is 0 if `temper` is a number or None; None is 0.

    Attributes
    ----------
    alpha_ : ndarray of shape (n_classes, n_features)
        The urns: α of each word in each class (β for "edcm"). The sum of a class lies between 1e-6 and a million times
        the length of the longest document. At the upper bound, reached if words are not bursty, the urn cannot be
        distinguished from the multinomial.
    log_likelihood_ : ndarray of shape (n_classes,)
        Log-likelihood of the documents of each class.
    n_iter_ : ndarray of shape (n_classes,)
        Number of steps that fitted each urn.
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the words, if X had them.

    References
    ----------
    Madsen, Kauchak and Elkan (2005), "Modeling word burstiness using the Dirichlet distribution".
    Elkan (2006), "Clustering documents with an exponential-family approximation of the Dirichlet compound multinomial".
    Minka (2000), "Estimating a Dirichlet distribution".

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[4, 1, 0], [0, 1, 5], [0, 2, 0], [1, 2, 1], [1, 1, 0], [0, 2, 1]]
    >>> model = sf.DirichletMultinomialNB().fit(X, ["bursty"] * 3 + ["even"] * 3)
    >>> model.predict([[6, 0, 0], [2, 3, 1]])
    array(['bursty', 'even'], dtype='<U6')
    >>> model.alpha_.sum(axis=1).round(1)  # few balls make bursts; so many are a multinomial
    array([9.e-01, 4.e+06])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "method": [StrOptions({"dcm", "edcm"})],
        **{name: COUNTS[name] for name in ("alpha", "class_prior", "temper")},
        "length_exponent": LENGTH_EXPONENT,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }
    _warned: tuple[bytes, int] | None = None  # the counts, and the number of urns, that a warning was given for
    _tags = (
        "sparse",
        "positive_only",
        "categorical",
        "poor_score",
    )  # categorical: scikit-learn's tag for whole numbers
    _allowed = WHOLE

    def __init__(
        self,
        *,
        method: Literal["dcm", "edcm"] = "dcm",
        alpha: float | Vector = 0.03,
        class_prior: ClassPriorLike = 1.0,
        max_iter: int = 100,
        tol: float = 1e-6,
        temper: Tempering | None = None,
        length_exponent: Tempering | None = "loo",
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.class_prior = class_prior
        self.max_iter = max_iter
        self.tol = tol
        self.temper = temper
        self.length_exponent = length_exponent

    def _likelihood(self, views: Views) -> Polya:
        alpha = checked_alpha(self, views)
        return Polya(
            np.asarray(alpha, np.float64) if np.ndim(alpha) else float(alpha), self.method, self.max_iter, self.tol
        )

    def _settle(self, rows: int) -> None:
        _ = self._urns

    def _source(self, X: Given) -> Any:
        _ = self._urns  # warns
        return super()._source(X)

    @property
    def _urns(self) -> Urns:
        """The fitted urns; warn once about those that did not converge, after batches at the first prediction."""
        urns = self._settled_as(Polya).urns
        assert urns is not None
        late = [str(self.classes_[c]) for c in urns.late]
        known = self._model.n.tobytes(), len(late)
        if late and self._warned != known:
            self._warned = known
            tell(
                f"The urns of {len(late)} of {len(self.classes_)} classes did not converge in max_iter={self.max_iter} "
                f"steps, including that of {late[0]!r}.",
                ConvergenceWarning,
                python="Increase max_iter or tol.",
            )
        return urns

    @property
    def alpha_(self) -> Array:
        """The fitted urns, classes × words."""
        return np.asarray(self._urns.alpha.values)

    @property
    def log_likelihood_(self) -> Array:
        """Log-likelihood of the documents of each class."""
        return self._urns.log_likelihood

    @property
    def n_iter_(self) -> Integers:
        """Number of steps that fitted each urn."""
        return self._urns.n_iter


def pseudo_counts(estimator: Smoothed, views: Views) -> float | Array | str:
    """Return one pseudo-count per word, one for all words, or "evidence"."""
    if not isinstance(estimator.alpha, Dirichlet):
        alpha = checked_alpha(estimator, views)
        return alpha if isinstance(alpha, str) else np.asarray(alpha, np.float64) if np.ndim(alpha) else float(alpha)
    return counts_of_belief(estimator.alpha, estimator.n_features_in_, "one per feature", type(estimator).__name__)


def checked_alpha(estimator: Smoothed, views: Views) -> float | Array | str:
    """Return the pseudo-counts as given, those that rows chose, or "evidence"; raise InputError if they are invalid."""
    given = estimator.alpha
    if is_loo(given):
        return 1.0 if views.alpha is None else views.alpha
    if isinstance(given, str):
        return given
    alpha = float(given) if isinstance(given, Real) else np.array(given)  # a copy: the caller may change the original
    if isinstance(alpha, np.ndarray):
        _check_array(estimator, alpha)
    if np.min(alpha) < SMALLEST_ALPHA and not getattr(estimator, "force_alpha", True):
        tell(
            f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}.",
            python="Use `force_alpha=True` to keep alpha unchanged.",
        )
        return np.maximum(alpha, SMALLEST_ALPHA)
    return alpha


def _check_array(estimator: Smoothed, alpha: Array) -> None:
    name, features = type(estimator).__name__, estimator.n_features_in_
    if alpha.ndim != 1 or not np.isfinite(alpha).all():
        what = f"an array of shape {alpha.shape}" if alpha.ndim != 1 else "values that are NaN or infinite"
        raise InputError(f"{name}.alpha", f"be one number, or {features} finite numbers, one per feature").but(
            f"got {what}"
        )
    if alpha.shape[0] != features:
        raise InputError(
            "When alpha is an array, it should contains `n_features`. "
            f"Got {alpha.shape[0]} elements instead of {features}."
        )
    if alpha.min() < 0:
        raise InputError("All values in alpha", "be greater than 0")


def must_fit_features(estimator: HasFeatures, belief: Belief, parameter: str) -> None:
    """Raise PriorError unless a belief is a single one, or a table of one per feature."""
    if belief.batch_shape not in ((), (estimator.n_features_in_,)):
        raise PriorError(
            f"{type(estimator).__name__}.{parameter}",
            f"be one {type(belief).__name__}, or a table of shape ({estimator.n_features_in_},), one per feature",
        ).but(f"got a table of shape {belief.batch_shape}")


def two_parameters(estimator: Smoothed, family: type[Belief], views: Views) -> tuple[Array, Array]:
    """Return the two parameters of the prior: those of the belief, or `alpha` twice."""
    given = estimator.alpha
    if not isinstance(given, family):
        alpha = np.asarray(checked_alpha(estimator, views), np.float64)
        return alpha, alpha
    must_fit_features(estimator, given, "alpha")
    first, second = (np.asarray(value) for value in given._values())
    return first, second
