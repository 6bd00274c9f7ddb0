"""Infer which set was meant from examples of it, by Bayes' rule over a finite list of hypotheses.

The likelihood of a hypothesis h (CL-1) is a product over the examples. Under strong sampling they are drawn from the
concept, each with probability 1/|h| if h holds it: small hypotheses that fit gain with every example (the size
principle). Under weak sampling items come from elsewhere and are labelled as members, which says nothing about size.
With a noise rate ε an example is, with that probability, any item of the domain (strong), or an item with the wrong
label (weak). The likelihood depends on the examples only by how many of them a hypothesis holds, so that count is the
statistic: it adds and subtracts, and learning in steps equals learning at once.
"""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from numbers import Real
from typing import Any, Literal, Self

import numpy as np

from suffice.concepts.hypothesis_space import Space, listed, read_prior, read_space
from suffice.concepts.hypothesis_table import Beliefs
from suffice.concepts.numbers import entropy, largest, picked
from suffice.concepts.scores import Odds, Scores
from suffice.concepts.stored_learner import State, check_parts, kept, read_belief, read_seen, read_state
from suffice.concepts.tallies import ASKED_IN, ASKED_OUT, DRAWN, Tallies, conflict
from suffice.errors import DataError, InputError, KindError
from suffice.notebook import card
from suffice.signatures import explain_arguments
from suffice.typing import Array, Booleans, Integers, Rng, Size

__all__ = ["ConceptLearner"]

Sampling = Literal["strong", "weak"]
NOTHING = 1e-12  # nats; anything smaller is a rounding error


class ConceptLearner:
    """A belief about which of many sets is meant; learning returns a new belief and leaves this one unchanged.

    Parameters
    ----------
    hypotheses : dict of sets or predicates by name, list of them, or boolean matrix of hypotheses × items
        The sets that could be meant; each must hold at least one item. A matrix may also be given as an iterable of
        blocks of rows, which are never in memory all at once.
    prior : array or dict of weights, default=None
        Prior weight of each hypothesis; weights need not add up to one, and are equal by default. A hypothesis of
        weight zero is ruled out: it is never in the version space, nor the most likely one.
    domain : list, default=None
        All items. By default the items of the sets, or the column numbers of the matrix; required for predicates.
    names : list, default=None
        Names of the hypotheses, if they are not a dict; numbers from 0 by default.
    sampling : {"strong", "weak"}, default="strong"
        Whether examples are drawn from the concept, or drawn independently and found to belong to it.
    noise : float, default=0.0
        Probability that an example is wrong, below 1. Above 0, one outlier does not rule out every hypothesis.

    Attributes
    ----------
    posterior_ : Beliefs
        A line per hypothesis: size, prior, likelihood and posterior.
    version_space_ : list
        Hypotheses that agree with all observations.
    map_, mle_ : list
        Hypotheses with the highest posterior, and with the highest likelihood; all of them if several tie.
    log_evidence_ : float
        Log-probability of all observations under the prior.

    Examples
    --------
    >>> import suffice as sf
    >>> dogs = {"beagle", "poodle"}
    >>> learner = sf.ConceptLearner({"dogs": dogs, "pets": {*dogs, "cat"}, "all": {*dogs, "cat", "wolf"}})
    >>> learner.observe(["beagle", "poodle"]).posterior_
    hypothesis   size     prior  likelihood  posterior
    dogs            2    0.3333        0.25     0.5902
    pets            3    0.3333       0.111     0.2623
    all             4    0.3333      0.0625     0.1475
    >>> learner.observe(["beagle"]).observe(["poodle"]).membership(["cat", "wolf"]).round(3)
    array([0.41 , 0.148])
    >>> learner.next_query()
    'cat'
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        explain_arguments(cls)

    def __init__(
        self,
        hypotheses: Any,
        prior: Any = None,
        *,
        domain: Any = None,
        names: Any = None,
        sampling: Sampling = "strong",
        noise: float = 0.0,
    ) -> None:
        self._start(read_space(hypotheses, domain, names), prior, sampling, noise)

    def _start(self, space: Space, prior: Any, sampling: Sampling, noise: float) -> None:
        self._believe(space, read_prior(prior, space.names), sampling, noise)

    def _believe(self, space: Space, prior: Array, sampling: Sampling, noise: float) -> None:
        rate: Any = noise
        if sampling not in ("strong", "weak"):
            raise InputError(f"The argument 'sampling' must be 'strong' or 'weak'; got {sampling!r}.")
        if not (isinstance(rate, Real) and 0 <= float(rate) < 1):
            raise InputError(f"The argument 'noise' must be a number from 0 to below 1; got {noise!r}.")
        self._space, self.sampling, self.noise = space, sampling, float(noise)
        self._codes = {item: code for code, item in enumerate(space.domain)}
        self._scores = Scores(Odds(space.bits, prior, self.noise), Tallies.zero(space.bits))

    def _params_in_files(self) -> State:
        return {"prior": self._scores.odds.prior, "sampling": self.sampling, "noise": self.noise}

    def _get_state(self) -> State:
        return kept(self._space, self._scores.seen)

    @classmethod
    def _of_file(cls, given: State, state: State) -> Self:
        check_parts(given, ("prior", "sampling", "noise"), "Parameters of a learner")
        space, learner = read_state(state), object.__new__(cls)
        learner._believe(space, read_belief(given["prior"], space), given["sampling"], given["noise"])
        return learner._with(read_seen(state["statistics"], space, learner.sampling))

    @property
    def domain(self) -> tuple[Hashable, ...]:
        """All items, in the order of `membership()`."""
        return self._space.domain

    @property
    def hypotheses(self) -> tuple[Hashable, ...]:
        """Names of the hypotheses, in the order given."""
        return self._space.names

    @property
    def observed_(self) -> list[Hashable]:
        """Observed examples, with repeats, in the order of the domain.

        Answers are not included, except that under weak sampling an item said to belong is an example.
        """
        kind = DRAWN if self.sampling == "strong" else ASKED_IN
        return [
            item for item, n in zip(self.domain, self._scores.seen.items[kind].tolist(), strict=True) for _ in range(n)
        ]

    def items_of(self, hypothesis: Hashable) -> list[Hashable]:
        """Return the items that a hypothesis holds."""
        if hypothesis not in self.hypotheses:
            raise InputError(
                f"There is no hypothesis {hypothesis!r} among the {len(self.hypotheses)}; see `hypotheses`."
            )
        row = self._space.bits.row(self.hypotheses.index(hypothesis))
        return [self.domain[code] for code in np.flatnonzero(row)]

    def observe(self, items: Any) -> Self:
        """Return the belief after further examples of the concept; a repeated example counts again."""
        kind = DRAWN if self.sampling == "strong" else ASKED_IN
        return self._with(self._scores.seen + self._tally(kind, items))

    def answer(self, items: Any, member: bool) -> Self:
        """Return the belief after being told whether the queried items belong to the concept: `member` is the answer.

        The questioner chose the items, so they say nothing about the concept's size, under either sampling.
        """
        answer: Any = member
        if not isinstance(answer, bool | np.bool_):
            raise KindError(f"The argument 'member' of answer must be True or False; got {member!r}.")
        return self._with(self._scores.seen + self._tally(ASKED_IN if member else ASKED_OUT, items))

    def forget(self, items: Any) -> Self:
        """Return the belief as if these examples had never been observed."""
        kind = DRAWN if self.sampling == "strong" else ASKED_IN
        return self._with(self._scores.seen - self._tally(kind, items))

    @property
    def posterior_(self) -> Beliefs:
        """A line per hypothesis: size, prior, likelihood and posterior."""
        now = self._scores
        return Beliefs(self.hypotheses, self._space.bits.sizes, now.odds.prior, now.log_likelihood, now.posterior)

    @property
    def version_space_(self) -> list[Hashable]:
        """Hypotheses that agree with all observations."""
        return self._named(self._scores.seen.consistent & (self._scores.odds.prior > 0))

    @property
    def map_(self) -> list[Hashable]:
        """Most probable hypotheses; more than one if they tie."""
        return self._named(largest(self._scores.log_joint))

    @property
    def mle_(self) -> list[Hashable]:
        """Hypotheses under which the observations are most probable; more than one if they tie."""
        now = self._scores
        return self._named(largest(np.where(now.odds.prior > 0, now.log_likelihood, -np.inf)))

    @property
    def log_evidence_(self) -> float:
        """Log-probability of all observations under the prior."""
        return self._scores.log_evidence

    def membership(self, items: Any = None, *, plug_in: bool = False) -> Array:
        """Return the probability that each item belongs to the concept.

        Parameters
        ----------
        items : list, default=None
            Items of the domain; by default all of them, in its order.
        plug_in : bool, default=False
            Whether to use the most probable hypothesis alone (the average of several, if they tie) instead of
            averaging over all.
        """
        every = self._scores.plug_in if plug_in else self._scores.membership
        return every.copy() if items is None else every[self._read(items)]

    def information(self, items: Any = None) -> Array:
        """Return the expected information, in nats, of asking whether each item belongs to the concept."""
        p = self._scores.membership
        yes = (1 - self.noise) * p + self.noise * (1 - p)
        gain = entropy(yes) - entropy(np.array(self.noise))
        every = np.where(gain > NOTHING, gain, 0.0)
        return every if items is None else every[self._read(items)]

    def next_query(self) -> Hashable | None:
        """Return the most informative item to ask about; None if no answer would be informative."""
        gain = self.information()
        best = int(largest(gain).argmax())
        return self.domain[best] if gain[best] > 0 else None

    def sample(self, size: Size = (), rng: Rng = None, *, of: Literal["hypotheses", "items"] = "hypotheses") -> Any:
        """Draw from the posterior: names of hypotheses, or future examples (strong sampling only)."""
        if of not in ("hypotheses", "items"):
            raise InputError(f"The argument 'of' must be 'hypotheses' or 'items'; got {of!r}.")
        from suffice.posterior.base import draws, generator

        rng, shape = generator(rng), draws(size)
        places = rng.choice(len(self.hypotheses), shape, p=self._scores.posterior)
        if of == "hypotheses":
            return picked(self.hypotheses, places)
        if self.sampling == "weak":
            raise InputError(
                "Items can be drawn under sampling='strong' only; got 'weak', which does not model where items come "
                "from. Draw hypotheses with of='hypotheses'."
            )
        return picked(self.domain, self._examples_of(places, rng))

    def _examples_of(self, places: Any, rng: np.random.Generator) -> Any:
        codes = np.empty(np.shape(places), np.int64)
        for at in np.ndindex(codes.shape):
            wrong = rng.random() < self.noise
            held = np.flatnonzero(self._space.bits.row(int(np.asarray(places)[at])))
            codes[at] = rng.integers(len(self.domain)) if wrong else rng.choice(held)
        return codes

    def __repr__(self) -> str:
        count = self._scores.seen.drawn + self._scores.seen.answered
        observed = f"{count} observed, " if count else ""
        best = ", ".join(map(str, self.map_[:3])) + (", …" if len(self.map_) > 3 else "")
        size = f"{len(self.hypotheses):,} hypotheses, {len(self.domain):,} items"
        return f"{type(self).__name__}({size}; {observed}best: {best})"

    def _repr_html_(self) -> str:
        return card(self, self.posterior_._parts)

    def _read(self, items: Any) -> Integers:
        found = listed(items, "items")
        try:
            return np.array([self._codes[item] for item in found], np.int64)
        except (KeyError, TypeError):
            odd = next(item for item in found if not isinstance(item, Hashable) or item not in self._codes)
            ends = f"{self.domain[0]!r} to {self.domain[-1]!r}, {len(self.domain):,} in all"
            raise DataError(f"The argument 'items' must hold items of the domain ({ends}); got {odd!r}.") from None

    def _tally(self, kind: int, items: Any) -> Tallies:
        return Tallies.of(self._space.bits, kind, self._read(items))

    def _with(self, seen: Tallies) -> Self:
        """Return a learner with the same prior and other observations; raise if they rule out every hypothesis."""
        other, odds = copy(self), self._scores.odds
        other._scores = Scores(odds, seen)
        if np.isneginf(other._scores.log_joint).all():
            raise conflict(self._space.bits, odds.prior > 0, seen, self.domain)
        return other

    def _named(self, which: Booleans) -> list[Hashable]:
        return [self.hypotheses[at] for at in np.flatnonzero(which)]


explain_arguments(ConceptLearner)
