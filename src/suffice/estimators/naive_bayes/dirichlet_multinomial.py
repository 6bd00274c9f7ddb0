"""Naive Bayes for words that come in bursts."""

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
    """Naive Bayes for words that come in bursts: documents of any length, as whole counts of each word.

    A word that came once is likely to come again, and the rarer it is, the more so. The multinomial cannot say so; the
    Dirichlet compound multinomial, or Pólya urn, can. The urn of each class is fitted by maximum likelihood to counts
    of counts (in how many documents a word stands once, twice, …), which add and subtract like all statistics here.

    Parameters
    ----------
    method : {"dcm", "edcm"}, default="dcm"
        The model itself, or Elkan's approximation, which looks at which words there are and how long a document is, not
        at how often each word is repeated. It is fitted by one equation and takes about a quarter of the time, but its
        "probabilities" of documents do not sum to one.
    alpha : float or array of shape (n_features,), default=0.03
        Prior: documents of one word each that every class has read before its own. An array says how many of each word;
        a number is their average, spread over the words in proportion to the documents (of all classes, and one more)
        that hold them. With 0 a word that a class has not seen is impossible there. It is a belief about the mean of
        the urn, and none about burstiness.
    class_prior : {"counted", "uniform"}, array of shape (n_classes,), float or Dirichlet, default=1.0
        Belief about the classes. A number is a pseudo-count of each, however many there are, a Dirichlet has one for
        each that is added to its rows. "counted" takes the shares of the rows as they
        are, "uniform" gives each class the same; probabilities in an array are not changed by rows.
    max_iter : int, default=100
        Most steps to fit an urn with; about six are needed.
    tol : float, default=1e-6
        A fit ends when no number in the urn changes by more than this part of itself.
    temper : float, "loo" or None, default=None
        Power that likelihoods are raised to, so that probabilities are honest. "loo" chooses it by leave-one-out on the
        rows that are given to fit. The class prior is not tempered.
    length_exponent : float, "loo" or None, default="loo"
        How the power falls with a document's length n: the temper is divided by n to this exponent. "loo" chooses it
        with the temper, and stands for 0 where that is given, or None; None is 0.

    Attributes
    ----------
    alpha_ : ndarray of shape (n_classes, n_features)
        The urns: α of each word in each class (β for "edcm"). Their sum is between 1e-6 and a million times the longest
        document, where the urn cannot be distinguished from the multinomial; it goes there if words come in no bursts.
    log_likelihood_ : ndarray of shape (n_classes,)
        Log-likelihood of the documents of each class.
    n_iter_ : ndarray of shape (n_classes,)
        Steps that were needed.
    class_count_ : ndarray of shape (n_classes,)
        Rows of each class, or the sum of their weights.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log-probability of each class.
    classes_ : ndarray of shape (n_classes,)
        The labels.
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
        tags.input_tags.categorical = True  # scikit-learn's word for whole numbers
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
        """The urns; what does not converge is warned of once, after batches at the first question."""
        urns = self._settled_as(Polya).urns
        assert urns is not None
        late = [str(self.classes_[c]) for c in urns.late]
        if late and not self._warned:
            self._warned = True
            tell(
                f"{len(late)} of {len(self.classes_)} classes need more than max_iter={self.max_iter} steps, "
                f"{late[0]!r} among them. Increase max_iter or tol.",
                ConvergenceWarning,
            )
        return urns

    @property
    def alpha_(self) -> Array:
        """The urns, classes × words."""
        return np.asarray(self._urns.alpha.values)

    @property
    def log_likelihood_(self) -> Array:
        """Log-likelihood of the documents of each class."""
        return self._urns.log_likelihood

    @property
    def n_iter_(self) -> Integers:
        """Steps that each urn was fitted in."""
        return self._urns.n_iter
