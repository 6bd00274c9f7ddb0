"""Model bursty words by Pólya urns: in each class, a drawn ball goes back with one more of its word.

score      Σ_w ln α_cw(α_cw+1)…(α_cw+x_w−1) − ln s_c(s_c+1)…(s_c+n−1),   s_c = Σ_w α_cw, without n!/Πx!     NB-6
           "edcm": Σ over x_w > 0 of ln α_cw − ln s_c(s_c+1)…(s_c+n−1), without n!/Πx                      NB-7

Urns are fitted to counts of counts, and holding out a row does not change them. Of a word that a class of texts has not
met, its urn holds a multiple of the prior's amount: only the multiple is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from suffice.later import gammaln, sparse, xlogy
from suffice.models.empirical.urn import Documents, Urn, dcm, edcm
from suffice.models.likelihoods.base import Likelihood, refusal
from suffice.models.likelihoods.draws import Draw, bags, with_rest
from suffice.models.likelihoods.shared import WordShares, of_ratio, share_of_others, top_words
from suffice.models.likelihoods.vocabulary import Cut
from suffice.models.scoring.cells import AS_IT_IS, Cells, Temper, tempered
from suffice.models.scoring.linear import DenseHeldOut, Linear
from suffice.models.scoring.removal import Entries, Removal
from suffice.models.scoring.results import Contributions, HeldOut, TopFeature, times_in_words
from suffice.models.scoring.rising import Rising, of_lengths, rising_words, with_length
from suffice.models.scoring.rows import Rows
from suffice.posterior import Dirichlet
from suffice.stats import Bursts
from suffice.stats.inputs import WHOLE
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array, Integers

Counted = Bursts | WordCounts


@dataclass(frozen=True, eq=False)
class Urns:
    """The fitted urns, α by class and word, and how each fit went."""

    alpha: Cells  # where sparse, `unmet` is the factor of the prior for words not met
    prior: Array  # one-word documents of each word credited to every class
    total: Array  # Σα per class
    log_likelihood: Array  # one per class
    n_iter: Integers
    late: tuple[int, ...]  # classes whose fit did not converge

    def rising(self, t: Counted) -> Rising:
        """Return the scorer that counts repeated words."""
        prior = None if self.alpha.unmet is None else self.prior
        return Rising(self.alpha, np.zeros(len(self.total)), self.total, t, prior)  # NB-6

    def mixed(self, share: Array) -> Array:
        """Return word probabilities under a mixture of the urns: Σ_c share_c α_cw / s_c."""
        part = share * np.divide(1.0, self.total, out=np.zeros(len(self.total)), where=self.total > 0)
        if self.alpha.unmet is None:
            return np.asarray(part @ self.alpha.values)
        rest = self.alpha.unmet
        above = self.alpha.values.data - rest[self.alpha.lines] * self.prior[self.alpha.values.indices]
        return np.asarray(part @ self.alpha.like(above)).ravel() + self.prior * float(part @ rest)


@dataclass(frozen=True, eq=False, repr=False)
class Polya(Likelihood):
    """Model documents as draws from an urn per class. `alpha` counts one-word documents: per word, or on average.

    An average is spread over words in proportion to their document frequency plus 1, over all classes. With "edcm",
    Elkan's approximation uses which words occur, not how often each is repeated.
    """

    alpha: float | Array = 0.03
    method: Literal["dcm", "edcm"] = "dcm"
    max_iter: int = 100
    tol: float = 1e-6
    urns: Urns | None = field(default=None, repr=False, compare=False)  # set once settled

    word = "dcm"
    statistic = (Bursts, WordCounts)
    allowed = WHOLE

    def kept(self, statistic: Counted) -> Counted:
        """Return all counts; raise DataError if texts have no words."""
        return Cut().of(statistic) if isinstance(statistic, WordCounts) else statistic

    def settled(self, t: Counted) -> Polya:
        """Return the likelihood with fitted urns; `urns.late` lists classes whose fit did not converge."""
        prior = self.pseudo_documents(t)
        documents, held = (_of_texts, _words_met) if isinstance(t, WordCounts) else (_of_rows, _all_words)
        alpha, rest, fits = list[Array](), list[float](), list[tuple[float, float, int, bool]]()
        for code, one in enumerate(documents(t, prior)):
            urn = self._fit(one)
            words, share = held(t, code, urn.alpha, prior)
            alpha.append(words)
            rest.append(share)
            fits.append((float(urn.alpha.sum()), *urn[1:]))
        total, logs, steps, converged = (np.array(part) for part in zip(*fits, strict=True))
        table = _table(t, alpha, np.array(rest))
        late = tuple(np.flatnonzero(~converged).tolist())
        return replace(self, urns=Urns(table, prior, total, logs, steps, late))

    def _fit(self, documents: Documents) -> Urn:
        return edcm(documents) if self.method == "edcm" else dcm(documents, self.max_iter, self.tol)

    def pseudo_documents(self, t: Counted) -> Array:
        """Return the number of one-word documents of each word that are credited to every class."""
        alpha = np.asarray(self.alpha, np.float64)
        if alpha.ndim:
            return alpha
        held = t.document_frequency + 1.0
        return np.asarray(alpha * held * (len(held) / held.sum()), np.float64)

    def _urns(self, t: Counted) -> Urns:
        urns = self.urns if self.urns is not None else self.settled(t).urns
        assert urns is not None
        return urns

    def scorer(self, t: Counted) -> Rising | Presence:
        """Return the scorer of rows."""
        drawn = self._urns(t).rising(t)
        if self.method == "dcm":
            return drawn
        return Presence(rising_words(drawn.alpha, drawn.prior, drawn.offset, t), self._urns(t).total)

    def held_out(self, t: Counted, rows: Rows, removed: Removal) -> HeldOut:
        """Return scores of rows by the urns as they are, which `judge` fits without the rows."""
        scorer: Any = self.scorer(t)
        return DenseHeldOut(scorer.tempered(AS_IT_IS).scores(rows), rows.lengths(scorer))

    def contributions(self, t: Counted, rows: Rows, weights: Array | None = None) -> Contributions:
        """Return the contributions of the row's words, and of its length."""
        return self.scorer(t).contributions(rows)

    def top_features(self, t: Counted, n: Array, code: int, k: int, weights: Array | None = None) -> list[TopFeature]:
        """Return the words with the most evidence for the class per word, by the means of the urns."""
        urns = self._urns(t)
        own = urns.mixed((np.arange(len(urns.total)) == code).astype(np.float64))
        return top_words(of_ratio(own, urns.mixed(share_of_others(n, code))), t, k, weights)

    def word_shares(self, t: Counted) -> WordShares:
        """Return word shares by the means of the urns, or by counts for texts; urns have no posterior."""
        if not isinstance(t, WordCounts):
            urns = self._urns(t)
            return WordShares(urns.alpha, 0.0, urns.total, 1 / max(1, t.width), sure=False)
        counts, more = Cells.of(t.tokens), float(self.alpha)
        return WordShares(counts, more, counts.sum() + more * t.width, 1 / max(1, t.width), sure=False)

    @property
    def learns_from_labels(self) -> bool:
        """Return True: an urn is fitted to the documents of its class."""
        return True

    def lacks(self, what: Literal["evidence", "density", "shares"]) -> str:
        """Return why it has no evidence and, for Elkan's approximation, neither a part in EM nor a density."""
        if what == "evidence":
            return "its urns are fitted, not integrated out"
        if self.method == "dcm":
            return ""
        if what == "density":
            return "its probabilities do not sum to one, as those of the Dirichlet-multinomial itself do"
        return (
            "The urns must have method='dcm' to learn without labels; got 'edcm', whose probabilities do not add "
            "up to one."
        )

    def sample(self, t: Counted, draw: Draw) -> Any:
        """Return drawn documents, rows × words as CSR; each document has its own draw of word probabilities."""
        if draw.parameters != "estimate":
            raise refusal(self, "posterior")
        urns, some = self._urns(t), draw.only(t.width)
        alpha = urns.rising(t).columns(np.arange(t.width) if some is None else some)
        belief = Dirichlet(alpha if some is None else with_rest(alpha, urns.total))
        words = t.frequency.sum() if isinstance(t, WordCounts) else t.words.value @ t.words.count
        return bags(draw, t.width, lambda codes: belief[codes].sample(rng=draw.rng), float(words) / draw.rows)

    def log_prior_density(self, t: Counted) -> float:
        """Return ln p of the one-word documents that are credited to every urn."""
        urns = self._urns(t)
        alpha, some = urns.rising(t).columns(np.arange(t.width)), urns.total > 0
        return float(xlogy(urns.prior, alpha[some] / urns.total[some, None]).sum())

    def log_measure(self, t: Counted, rows: Rows) -> Array | float:
        """Return ln n!/Πx! of each row of a matrix, or ln n!/Πx for "edcm"; 0 for texts, whose words are ordered."""
        if isinstance(t, WordCounts):
            return 0.0
        x = Entries.of(rows.entries(t))
        orders = np.log(x.value) if self.method == "edcm" else gammaln(x.value + 1)
        return np.asarray(gammaln(x.sums(x.value) + 1) - x.sums(orders))


@dataclass(frozen=True, eq=False)
class Presence:
    """Score documents by which words occur and by length: Σ over x_w > 0 of ln α_w − ln s(s+1)…(s+n−1)."""

    words: Linear
    total: Array
    temper: Temper = AS_IT_IS

    @property
    def t(self) -> Any:
        """Return the statistic whose features rows are matched to."""
        return self.words.t

    def tempered(self, temper: Temper) -> Presence:
        """Return the scorer with each row's likelihood raised to a power."""
        return replace(self, temper=temper)

    def powers(self, rows: Rows) -> Any:
        """Return the power of the likelihood: one number for all rows, or one per row."""
        return self.temper.of(rows.lengths(self) if self.temper.length else None)  # type: ignore[arg-type]

    def counted(self, x: Array) -> Array:
        """Return the effective count of x occurrences in the length of a row: x."""
        return x

    def scores(self, rows: Rows) -> Array:
        """Return ln p(x | c), rows × classes."""
        out, lengths = self.words.scores(rows.flags()), rows.lengths(self)  # type: ignore[arg-type]
        with np.errstate(invalid="ignore"):  # a class with neither words nor a prior gives NaN
            out -= of_lengths(lengths, self.total)  # NB-7
        out = np.where(np.isnan(out), -np.inf, out)
        return out if self.temper == AS_IT_IS else tempered(out, self.powers(rows))

    def contributions(self, rows: Rows) -> Contributions:
        """Return the contributions of the row's words, each by its presence, and of its length."""
        x = rows.entries(self.t)
        logs = self.words.columns(x.indices).T
        said = Contributions(x.indices.tolist(), [times_in_words(v) for v in x.data.tolist()], logs)
        return with_length(said, self.total, float(x.data.sum()))


def _of_rows(t: Any, prior: Array) -> Iterator[Documents]:
    """Yield the documents of each class of a matrix."""
    for code in range(t.shape[0]):
        words, lengths = t.of_class(code)
        values = words.value.astype(np.float64), words.count, lengths.value.astype(np.float64), lengths.count
        yield Documents(words.cell, *values, prior)


def _of_texts(t: Any, prior: Array) -> Iterator[Documents]:
    """Yield the documents of each class of texts. Documents that hold a word and do not repeat it hold it once."""
    for code in range(t.n_classes):
        row = slice(t.documents.indptr[code], t.documents.indptr[code + 1])
        words, once = t.documents.indices[row].astype(np.int64), t.documents.data[row].copy()
        mine = t.repeats[:, 0] == code
        repeated, value, count = t.repeats[mine, 1], t.repeats[mine, 2], t.repeat_documents[mine]
        np.subtract.at(once, np.searchsorted(words, repeated), count)
        single = once > 0
        of_class = (t.lengths[:, 0] == code) & (t.lengths[:, 1] > 0)
        yield Documents(
            np.concatenate([words[single], repeated]),
            np.concatenate([np.ones(single.sum()), value.astype(np.float64)]),
            np.concatenate([once[single], count]),
            t.lengths[of_class, 1].astype(np.float64),
            t.length_documents[of_class],
            prior,
        )


def _all_words(t: Any, code: int, alpha: Array, prior: Array) -> tuple[Array, float]:
    """Return α of all words of a class, and 1."""
    return alpha, 1.0


def _words_met(t: Any, code: int, alpha: Array, prior: Array) -> tuple[Array, float]:
    """Return α of the words that a class has met, and the factor of the prior for all others."""
    met = t.documents.indices[t.documents.indptr[code] : t.documents.indptr[code + 1]]
    unmet = np.ones(len(prior), bool)
    unmet[met] = False
    largest = int(np.argmax(np.where(unmet, prior, -1.0)))
    some = unmet.any() and prior[largest] > 0
    return alpha[met], float(alpha[largest] / prior[largest]) if some else 1.0


def _table(t: Counted, alpha: list[Array], rest: Array) -> Cells:
    """Return α of all classes as cells."""
    if not isinstance(t, WordCounts):
        return Cells(np.stack(alpha))
    words = t.documents
    return Cells(sparse.csr_matrix((np.concatenate(alpha), words.indices, words.indptr), shape=words.shape), rest)
