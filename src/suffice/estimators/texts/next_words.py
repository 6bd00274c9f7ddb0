"""Answers of a fitted unigram language model: probabilities, perplexity, samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError, InputError, NoUniqueMode, PriorError
from suffice.estimators.shell.answers import bag
from suffice.estimators.shell.atomic import Atomic, query
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator, parts_of_weights
from suffice.estimators.shell.parameter_domains import is_loo
from suffice.estimators.shell.stored import State
from suffice.models.drawn_rows import asked
from suffice.models.likelihoods.draws import Parameters
from suffice.models.likelihoods.unigram import Smoothing, TopWords, Unigram, backing_off, loo_strength
from suffice.models.likelihoods.vocabulary import Vocabulary
from suffice.notebook import MOST, figures
from suffice.posterior import Dirichlet
from suffice.stats.inputs import EXACT
from suffice.text import Analysis, learn
from suffice.typing import Array, LabelArray, Rng, TextsLike

__all__ = ["NextWords"]

ROUNDING = 1e-6
"""Tolerance of the sum of stored probabilities."""


class NextWords(Atomic, BaseEstimator):
    """Base of the unigram language model, with everything a fitted model answers."""

    alpha: float | ArrayLike | Dirichlet
    unknown: str
    smoothing: Smoothing
    strength: float | Literal["loo"]

    words_: LabelArray
    counts_: Array
    n_texts_: float
    posterior_: Dirichlet
    background_: Array
    strength_: float
    _analysis: Analysis
    _known: Vocabulary
    _unigram: Unigram
    _repr_html_, _repr_mimebundle_ = card_of_estimator, bundle_of_estimator

    def _card_parts(self) -> Iterator[str]:
        order, total = np.argsort(-self.counts_, kind="stable"), float(self.counts_.sum())
        yield figures({"words": len(self.words_), "counted": total})
        shares = self.counts_[order] / max(total, 1.0)
        yield from parts_of_weights(self.words_[order[:MOST]], shares[:MOST], "word", "share", len(order))

    @query
    def probabilities(self) -> dict[str, float]:
        """Return the predictive probability of each word, the unknown slot last."""
        check_is_fitted(self, "posterior_")
        return dict(zip(self.words_.tolist(), self._unigram.probabilities.tolist(), strict=True))

    @property
    def mode(self) -> dict[str, float]:
        """Mode of ``posterior_`` by word. With ``alpha=1`` and no background, it is each word's share of all words.

        ``probabilities()`` returns the posterior mean instead, and with ``smoothing="jelinek_mercer"`` mixes it with
        the background; the mode is not mixed. Raises NoUniqueMode if the posterior has no unique mode.
        """
        check_is_fitted(self, "posterior_")
        try:
            mode = self.posterior_.mode
        except NoUniqueMode:
            raise NoUniqueMode(
                "The posterior of this LanguageModel has no unique mode, because some words have a pseudo-count below "
                "1. Use probabilities() instead."
            ) from None
        return dict(zip(self.words_.tolist(), mode.tolist(), strict=True))

    @query
    def top(self, k: int = 10) -> TopWords:
        """Return the most probable words, including the unknown slot.

        Parameters
        ----------
        k : int, default=10
            How many.

        Returns
        -------
        words : TopWords
            Rows of word and probability, the most probable first; of equally probable ones, the first of ``words_``.
        """
        check_is_fitted(self, "posterior_")
        number: object = k
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
            raise InputError(f"The argument 'k' of LanguageModel.top must be a whole number from 0 on; got {k!r}.")
        return self._unigram.top(self.words_, int(k))

    @query
    def log_prob(self, X: TextsLike) -> Array:
        """Return the log-probability of each text under the current word probabilities, which its words do not update.

        For the probability when each word updates those that follow (the Dirichlet-multinomial), use
        ``posterior_.log_evidence(counts=...)``.

        Parameters
        ----------
        X : sequence or iterator of str
            The texts.

        Returns
        -------
        logs : ndarray of shape (n_texts,)
            Zero for a text without words.
        """
        return self._scores(X)[0]

    @query
    def perplexity(self, X: TextsLike) -> float:
        """Return the perplexity: how many equally probable words would be as hard to predict as those of the texts.

        A word that is not in the vocabulary counts, and has the probability of the unknown slot, whichever word it is.
        So perplexities can be compared only on the same texts and with the same vocabulary: a model without known words
        would predict every word as unknown, with perplexity near 1.

        Parameters
        ----------
        X : sequence or iterator of str
            Texts that the model has not learned.

        Returns
        -------
        perplexity : float
            exp of minus the mean log-probability of a word.
        """
        logs, n = self._scores(X)
        if n == 0:
            raise DataError("The argument 'X' of LanguageModel.perplexity must hold words; got texts without any.")
        return float(np.exp(-logs.sum() / n))  # DM-8

    def sample(
        self,
        n: int | None = None,
        *,
        length: int | Sequence[int] | Array | None = None,
        parameters: Parameters = "estimate",
        rng: Rng = None,
    ) -> list[dict[str, int]]:
        """Draw texts from the model as bags of words; word order does not matter to it.

        Parameters
        ----------
        n : int, default=None
            How many texts; one if not given.
        length : int or array-like of shape (n,), default=None
            How many words a text has. The model does not describe it; if not given, it is drawn from a Poisson
            distribution whose mean is the mean length of the texts that were learned.
        parameters : {"estimate", "each", "once"}, default="estimate"
            "estimate" draws words by ``probabilities()``. "each" draws the probabilities of each text from
            ``posterior_`` (the posterior predictive), "once" draws them once for all texts: a replicate of those that
            were learned. With smoothing="jelinek_mercer" these are mixed with the background.
        rng : int, Generator or None, default=None
            Seed of the draws.

        Returns
        -------
        texts : list of dict
            How often each text has each of its words, the unknown slot among them.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.LanguageModel().fit(["tea with milk", "more tea"])
        >>> model.sample(2, length=4, rng=0)
        [{'milk': 1, 'tea': 3}, {'more': 2, 'with': 1, 'unk': 1}]
        """
        check_is_fitted(self, "posterior_")
        rows = 1 if n is None else n
        draw = asked(rows, parameters, length, rng)
        mean = self.counts_.sum() / self.n_texts_ if self.n_texts_ else np.nan
        if length is None and not np.isfinite(mean):
            raise InputError(
                "The argument 'length' of LanguageModel.sample must be given where the model does not know how many "
                "texts it has learned, or has learned none; got None."
            )
        drawn = self._unigram.sample(replace(draw, codes=np.zeros(rows, np.int64)), float(mean))
        return [bag(self.words_, row) for row in drawn]

    def _scores(self, X: TextsLike) -> tuple[Array, float]:
        check_is_fitted(self, "posterior_")
        words, matrix = learn(X, self._analysis, "X")
        return self._unigram.log_probability(self._known.slots(words), matrix), float(matrix.sum())

    def _believe(self, background: Array | None) -> None:
        """Set the attributes that follow from the counts and the background probabilities."""
        self.words_ = np.append(self._known.strings, np.array([self.unknown], object))
        prior, counts = self._prior(), self.counts_
        if background is None:
            for name in {"background_", "strength_"} & {*vars(self)}:
                delattr(self, name)
            self._unigram = Unigram(counts, prior.update(counts=counts))
        else:
            given = loo_strength(counts, background, self.smoothing) if is_loo(self.strength) else float(self.strength)
            self.background_, self.strength_ = background, given
            self._unigram = backing_off(counts, background, self.smoothing, given, prior)
        self.posterior_ = self._unigram.belief

    def _get_state(self) -> State:
        check_is_fitted(self, "posterior_")
        schema = {"analysis": self._analysis, "known": self._known}
        behind = {"background": self.background_} if hasattr(self, "background_") else {}
        return {"schema": schema, "statistics": {"counts": self.counts_, "texts": self.n_texts_, **behind}}

    def _set_state(self, state: State) -> None:
        analysis, known, counts = state["schema"]["analysis"], state["schema"]["known"], state["statistics"]["counts"]
        if not isinstance(analysis, Analysis) or not isinstance(known, Vocabulary):
            raise DataError("A language model must have a vocabulary, and say what a word is.")
        texts, background = state["statistics"].get("texts", np.nan), state["statistics"].get("background")
        if np.shape(counts) != (known.size,) or not ((counts >= 0) & (counts <= EXACT)).all():
            raise DataError(f"The counts of a language model must be {known.size} numbers from 0 on.")
        if type(texts) is not float or not (np.isnan(texts) or 0 <= texts <= EXACT):
            raise DataError(f"The number of texts must be one from 0 on; got {texts!r}.")
        if background is not None and not _is_distribution(background, known.size):
            raise DataError(f"What a background says must be {known.size} probabilities that add up to 1.")
        self._analysis, self._known, self.counts_, self.n_texts_ = analysis, known, counts, texts
        self._believe(background)

    def _prior(self) -> Dirichlet:
        given: object = self.alpha
        if isinstance(given, Real):
            return Dirichlet(np.full(len(self.words_), float(given)))
        prior = self.alpha if isinstance(self.alpha, Dirichlet) else Dirichlet(self.alpha)
        if prior.alpha.shape != (len(self.words_),):
            raise PriorError(
                f"The 'alpha' parameter of LanguageModel must be one number, or {len(self.words_)}: one per word and "
                f"one for the unknown; got shape {prior.alpha.shape}."
            )
        return prior


def _is_distribution(p: object, size: int) -> bool:
    """Return whether an array holds `size` positive probabilities that sum to one."""
    array = p if isinstance(p, np.ndarray) and p.dtype == np.float64 and p.shape == (size,) else np.zeros(1)
    return bool((array > 0).all() and abs(array.sum() - 1) < ROUNDING)
