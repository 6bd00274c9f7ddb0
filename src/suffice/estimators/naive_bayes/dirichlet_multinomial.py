"""Naive Bayes for bursty word counts."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from suffice.estimators.naive_bayes.multinomial import checked_alpha
from suffice.estimators.shell.matrix import MatrixClassifier
from suffice.estimators.shell.parameters import (
    COUNTS,
    LENGTH_EXPONENT,
    ClassPriorLike,
    Constraints,
    Interval,
    ReadOptions,
    StrOptions,
    Tags,
    Tempering,
    Vector,
    class_prior_of,
)
from suffice.models.class_prior import ClassPrior
from suffice.models.likelihoods.polya import Polya, Urns
from suffice.models.model import Model
from suffice.models.predictor import Predictor
from suffice.models.views import Views
from suffice.readers.one_block import MatrixReader
from suffice.stats.inputs import WHOLE
from suffice.telling import tell
from suffice.typing import Array, Integers

__all__ = ["DirichletMultinomialNB"]


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
    _reading: ClassVar[ReadOptions] = {"accept_sparse": ["csr", "csc"], "ensure_all_finite": False}
    _warned: bool = False

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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # scikit-learn's tag for whole numbers
        tags.classifier_tags.poor_score = True
        return tags

    def _make_reader(self) -> MatrixReader:
        return MatrixReader(WHOLE)

    def _likelihood(self, views: Views) -> Polya:
        alpha = checked_alpha(self, views)
        return Polya(
            np.asarray(alpha, np.float64) if np.ndim(alpha) else float(alpha), self.method, self.max_iter, self.tol
        )

    def _class_prior(self) -> ClassPrior:
        return class_prior_of(self)

    def _put(self, model: Model, views: Views, stale: bool) -> None:
        if not self.__sklearn_is_fitted__() or model is not self._model:  # other counts, other urns
            self._warned = False
        super()._put(model, views, stale)

    def _settle(self, rows: int) -> None:
        _ = self._urns

    def _in_force(self) -> Predictor:
        _ = self._urns
        return super()._in_force()

    @property
    def _urns(self) -> Urns:
        """The fitted urns; warn once about those that did not converge, after batches at the first prediction."""
        urns = self._settled_as(Polya).urns
        assert urns is not None
        late = [str(self.classes_[c]) for c in urns.late]
        if late and not self._warned:
            self._warned = True
            tell(
                f"The urns of {len(late)} of {len(self.classes_)} classes did not converge in max_iter={self.max_iter} "
                f"steps, including that of {late[0]!r}. Increase max_iter or tol.",
                ConvergenceWarning,
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
