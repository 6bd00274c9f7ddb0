"""Infer which set was meant from examples of it, by Bayes' rule over a finite list of hypotheses.

The likelihood of a hypothesis h (CL-1) is a product over the examples. Under strong sampling they are drawn from the
concept, each with probability 1/|h| if h holds it: small hypotheses that fit gain with every example (the size
principle). Under weak sampling items come from elsewhere and are labelled as members, which says nothing about size.
With a noise rate ε an example is, with that probability, any item of the domain (strong), or an item with the wrong
label (weak). The likelihood depends on the examples only by how many of them a hypothesis holds, so that count is the
statistic: it adds and subtracts, and learning in steps equals learning at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from copy import copy
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, Self

import numpy as np

from suffice.concepts.hypothesis_space import (
    MOST_OBSERVED,
    Space,
    State,
    as_list,
    check_parts,
    for_file,
    read_belief,
    read_prior,
    read_space,
    read_state,
)
from suffice.concepts.scores import ASKED_IN, ASKED_OUT, DRAWN, Odds, Scores, Tallies, conflict, largest
from suffice.errors import DataError, InputError, KindError
from suffice.notebook import MOST, bar, card, table
from suffice.signatures import explain_arguments
from suffice.typing import Array, Booleans, Integers, Rng, Size

Sampling = Literal["strong", "weak"]
NOTHING = 1e-12  # nats; anything smaller is a rounding error


SHOWN = 10  # hypotheses in a repr


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs:
    """A line per hypothesis: its name, number of items, prior, likelihood and posterior.

    >>> from suffice.concepts import ConceptLearner
    >>> table = ConceptLearner({"low": {1, 2}, "all": {1, 2, 3, 4}}).observe([1]).posterior_
    >>> table["low"].__round__(3)
    0.667
    >>> table.top(1)
    [('low', 0.666...)]
    """

    names: tuple[Hashable, ...]
    sizes: Integers
    prior: Array
    log_likelihood: Array
    """ln p(D | h), minus infinity where the observations are impossible."""
    posterior: Array
    _places: dict[Hashable, int] = field(default_factory=dict)

    def top(self, most: int = SHOWN) -> list[tuple[Hashable, float]]:
        """Return the most probable hypotheses, with their posterior."""
        return [(self.names[at], float(self.posterior[at])) for at in self.order()[:most]]

    def order(self) -> Integers:
        """Return the indices of the hypotheses, the most probable first; ties in the order given."""
        return np.argsort(-self.posterior, kind="stable")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return all lines as a dataframe, the most probable hypothesis first."""
        from suffice.tables.frame import frame_of

        order = self.order()
        columns = {
            "hypothesis": [self.names[at] for at in order],
            "size": self.sizes[order],
            "prior": self.prior[order],
            "log_likelihood": self.log_likelihood[order],
            "posterior": self.posterior[order],
        }
        return frame_of(columns, backend)

    def __getitem__(self, name: Hashable) -> float:
        if not self._places:
            self._places.update((one, at) for at, one in enumerate(self.names))
        if name not in self._places:
            raise InputError(f"There is no hypothesis {name!r} among the {len(self)}; see `names`.")
        return float(self.posterior[self._places[name]])

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        possible = int((self.posterior > 0).sum())
        order = self.order()[: min(SHOWN, possible)]
        width = max(10, *(len(str(self.names[at])) for at in order))
        lines = [f"{'hypothesis':<{width}}   size     prior  likelihood  posterior"]
        for at in order:
            likelihood = np.exp(self.log_likelihood[at])
            lines.append(
                f"{self.names[at]!s:<{width}}  {self.sizes[at]:>5}  {self.prior[at]:>8.4f}"
                f"  {likelihood:>10.3g}  {self.posterior[at]:>9.4f}"
            )
        less, never = max(0, possible - SHOWN), len(self) - possible
        rest = [f"{less:,} less probable"] * (less > 0) + [f"{never:,} impossible"] * (never > 0)
        lines += [f"and {', '.join(rest)}"] * bool(rest)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return card(self, self._parts, f"{len(self):,} hypotheses")

    def _parts(self) -> Iterator[str]:
        order = self.order()[:MOST]
        columns = (self.sizes[order], self.prior[order], np.exp(self.log_likelihood[order]), self.posterior[order])
        names, shares = [str(self.names[at]) for at in order], self.posterior[order].tolist()
        rows = zip(names, *(column.tolist() for column in columns), map(bar, shares), strict=True)
        yield table(["hypothesis", "size", "prior", "likelihood", "posterior", ""], rows, len(self))


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
        space = read_space(hypotheses, domain, names)
        self._believe(space, read_prior(prior, space.names), sampling, noise)

    def _believe(self, space: Space, prior: Array, sampling: Sampling, noise: float) -> None:
        rate: Any = noise
        if sampling not in ("strong", "weak"):
            raise InputError("sampling", "be 'strong' or 'weak'", got=sampling)
        if not (isinstance(rate, Real) and 0 <= float(rate) < 1):
            raise InputError("noise", "be a number from 0 to below 1", got=noise)
        self._space, self.sampling, self.noise = space, sampling, float(noise)
        self._codes = {item: code for code, item in enumerate(space.domain)}
        self._kind = DRAWN if sampling == "strong" else ASKED_IN  # of observed examples
        nothing = Tallies.of(space.bits, np.zeros((3, space.bits.items), np.int64))
        self._scores = Scores(Odds(space.bits, prior, self.noise), nothing)

    def _params_in_files(self) -> State:
        return {"prior": self._scores.odds.prior, "sampling": self.sampling, "noise": self.noise}

    def _get_state(self) -> State:
        space = self._space
        schema = {"hypotheses": for_file(space.names), "domain": for_file(space.domain), "bits": space.bits.packed}
        return {"schema": schema, "statistics": {"observed": self._scores.seen.items}}

    @classmethod
    def _of_file(cls, given: State, state: State) -> Self:
        check_parts(given, ("prior", "sampling", "noise"), "Parameters of a learner")
        space, learner = read_state(state), object.__new__(cls)
        learner._believe(space, read_belief(given["prior"], space), given["sampling"], given["noise"])
        check_parts(state["statistics"], ("observed",), "Statistics of a learner")
        items, shape = state["statistics"]["observed"], (3, len(space.domain))
        if not isinstance(items, np.ndarray) or items.dtype != np.int64 or items.shape != shape:
            raise DataError("Observations", f"be counts of {shape[1]} items")
        odd = items[DRAWN].any() if learner.sampling == "weak" else False
        if odd or (items < 0).any() or items.sum(dtype=np.float64) > MOST_OBSERVED:
            raise DataError("Observations", "be counts of at least 0").but(
                "under weak sampling, none may be drawn examples"
            )
        return learner._with(Tallies.of(space.bits, items))

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
        counts = self._scores.seen.items[self._kind].tolist()
        return [item for item, n in zip(self.domain, counts, strict=True) for _ in range(n)]

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
        return self._with(self._scores.seen + self._tally(self._kind, items))

    def answer(self, items: Any, member: bool) -> Self:
        """Return the belief after being told whether the queried items belong to the concept: `member` is the answer.

        The questioner chose the items, so they say nothing about the concept's size, under either sampling.
        """
        answer: Any = member
        if not isinstance(answer, bool | np.bool_):
            raise KindError("answer.member", "be True or False", got=member)
        return self._with(self._scores.seen + self._tally(ASKED_IN if member else ASKED_OUT, items))

    def forget(self, items: Any) -> Self:
        """Return the belief as if these examples had never been observed."""
        return self._with(self._scores.seen - self._tally(self._kind, items))

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
        gain = _entropy(yes) - _entropy(np.array(self.noise))
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
            raise InputError("of", "be 'hypotheses' or 'items'", got=of)
        from suffice.posterior.base import draws, generator

        rng, shape = generator(rng), draws(size)
        places: Integers = np.asarray(rng.choice(len(self.hypotheses), shape, p=self._scores.posterior))
        if of == "items" and self.sampling == "weak":
            raise InputError(
                "Items can be drawn under sampling='strong' only; got 'weak', which does not model where items "
                "come from."
            ).advise(python="Draw hypotheses with of='hypotheses'.")
        drawn = np.empty(places.size, object)
        for at, hypothesis in enumerate(places.ravel().tolist()):
            if of == "hypotheses":
                drawn[at] = self.hypotheses[hypothesis]
                continue
            wrong = rng.random() < self.noise
            held = np.flatnonzero(self._space.bits.row(hypothesis))
            drawn[at] = self.domain[rng.integers(len(self.domain)) if wrong else rng.choice(held)]
        return drawn.reshape(shape) if shape else drawn[0]

    def __repr__(self) -> str:
        count = self._scores.seen.drawn + self._scores.seen.answered
        observed = f"{count} observed, " if count else ""
        best = ", ".join(map(str, self.map_[:3])) + (", …" if len(self.map_) > 3 else "")
        size = f"{len(self.hypotheses):,} hypotheses, {len(self.domain):,} items"
        return f"{type(self).__name__}({size}; {observed}best: {best})"

    def _repr_html_(self) -> str:
        return card(self, self.posterior_._parts)

    def _read(self, items: Any) -> Integers:
        found = as_list(items, "items")
        try:
            return np.array([self._codes[item] for item in found], np.int64)
        except (KeyError, TypeError):
            odd = next(item for item in found if not isinstance(item, Hashable) or item not in self._codes)
            ends = f"{self.domain[0]!r} to {self.domain[-1]!r}, {len(self.domain):,} in all"
            raise DataError("items", f"hold items of the domain ({ends})", got=odd) from None

    def _tally(self, kind: int, items: Any) -> Tallies:
        counts = np.zeros((3, len(self.domain)), np.int64)
        counts[kind] = np.bincount(self._read(items), minlength=len(self.domain))
        return Tallies.of(self._space.bits, counts)

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


def _entropy(p: Array) -> Array:
    """Return the entropy, in nats, of a yes that has probability p."""
    inner = np.clip(p, np.finfo(np.float64).tiny, 1 - np.finfo(np.float64).epsneg)
    return np.where((p > 0) & (p < 1), -inner * np.log(inner) - (1 - inner) * np.log1p(-inner), 0.0)
