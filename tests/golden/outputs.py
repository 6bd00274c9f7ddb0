"""What is asked of each case, by public names alone, as trees of plain values."""

import json
import warnings
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

import suffice as sf
from golden.cases import (
    CASES,
    COMPARED,
    LANGUAGES,
    MIXTURES,
    NO_MODEL_OF_ROWS,
    ONLY_OUTPUTS,
    SELECTIONS,
    SLOW,
    VECTORIZERS,
    Case,
    Clusters,
    semi_supervised,
)
from golden.data import Data, data_of, take, texts

COUNTED = ("class_count_", "feature_count_", "feature_all_", "category_count_", "counts_", "statistics_")
ELSEWHERE = {*COUNTED, "columns_", "estimator_", "journal_", "log_evidence_"}
FROZEN_AS = {"feature_powers_": "weights_"}
"""Attributes that had another name when they were frozen."""

SOME = 40
"""Rows that each answer of leave-one-out is kept of; its summary is of all."""

COSTS = [[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]]


def plain(value: Any) -> Any:
    """Return a value as a tree of what JSON has."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if sparse.issparse(value):
        return plain(value.toarray())
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "arrays"):
        return plain(value.arrays())
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return f"a {type(value).__name__}"


def tried(ask: Callable[[], Any]) -> Any:
    """Return an answer, or the name of the error."""
    try:
        return plain(ask())
    except Exception as error:
        return {"error": type(error).__name__}


def stored_counts(model: Any) -> Any:
    """Return what a file has of a model's statistics: where no attribute holds all of them."""
    raw = sf.store.to_bytes(model)
    size = int.from_bytes(raw[:8], "little")
    header, rest = json.loads(raw[8 : 8 + size]), raw[8 + size :]
    kinds = {"F64": "<f8", "I64": "<i8", "U8": "u1", "U32": "<u4", "I32": "<i4", "U64": "<u8", "BOOL": "?"}
    return {
        name: np.frombuffer(rest[slice(*about["data_offsets"])], kinds[about["dtype"]])
        for name, about in header.items()
        if name.startswith("statistics/")
    }


def counts_of(model: Any) -> Any:
    """Return what was counted."""
    counted = {name: tried(partial(getattr, model, name)) for name in COUNTED if hasattr(model, name)}
    return counted if len(counted) > 1 else {**counted, "stored": tried(lambda: stored_counts(model))}


def attributes_of(model: Any) -> Any:
    names = [name for name in dir(model) if name.endswith("_") and not name.startswith("_") and name not in ELSEWHERE]
    return {FROZEN_AS.get(name, name): tried(partial(getattr, model, name)) for name in names}


def explained(model: Any, row: Any, *pair: Any) -> Any:
    found = model.explain(row, *pair)
    order = sorted(range(len(found.features)), key=lambda i: (str(found.features[i]), str(found.values[i])))
    columns = {"weights": found.contributions, "low": found.low, "high": found.high}
    return {
        "pair": [found.target, found.against],
        "prior": found.prior,
        "log_odds": found.log_odds,
        "features": [[str(found.features[i]), str(found.values[i])] for i in order],
        **{name: None if column is None else np.asarray(column)[order] for name, column in columns.items()},
        "note": found.note,
    }


def top_of(model: Any) -> Any:
    """Return all that speaks for each class, by name."""
    return {
        label: sorted(
            [str(row.feature), str(row.value), float(row.log_odds)] for row in model.top_features(label, 1000)
        )
        for label in model.classes_.tolist()
    }


def evidence_of(model: Any, X: Any) -> Any:
    found = model.evidence()
    whole = tried(lambda: model.evidence(X).total)
    names = [str(name) for name in np.asarray(found.features).ravel().tolist()]
    return {"total": found.total, "labels": found.labels, "features": names, "table": found.table, "with rows": whole}


def tables_of(model: Any) -> Any:
    out = {}
    for name, column in model.columns_.items():
        table = model.table(name)
        out[str(name)] = {
            "model": type(column).__name__,
            **{str(key): plain(np.asarray(table[key])) for key in table.columns},
        }
    return out


def informed(model: Any) -> Any:
    found = sf.mutual_information(model)
    return {"names": [str(name) for name in found.names[np.argsort(found.order)]], "by_feature": found.by_feature}


def predicted(model: Any, data: Data) -> dict[str, Any]:
    """Return what a fitted model says of new rows, and what it has counted."""
    return {
        "classes": plain(model.classes_),
        "counts": counts_of(model),
        "log_proba": tried(lambda: model.predict_log_proba(data.asked)),
        "strange": tried(lambda: model.predict_log_proba(data.strange)),
    }


def answered(model: Any, data: Data) -> dict[str, Any]:
    """Return all that a fitted model says without learning."""
    asked, rows = data.asked, [take(data.asked, [i]) for i in range(4)]
    out = {
        **predicted(model, data),
        "attributes": attributes_of(model),
        "joint": tried(lambda: model.predict_joint_log_proba(asked)),
        "predict": tried(lambda: model.predict(asked)),
        "decide": tried(lambda: model.decide(asked, COSTS, abstain=0.4)),
        "interval": tried(lambda: model.predict_interval(asked)),
        "interval sampled": tried(
            lambda: model.predict_interval(take(asked, [0, 1]), method="sample", n_samples=40, random_state=0)
        ),
        "feature interval": tried(lambda: model.feature_interval()),
        "explain": [tried(partial(explained, model, row)) for row in rows],
        "explain a pair": tried(lambda: explained(model, rows[0], "c", "a")),
        "explain strange": tried(lambda: explained(model, take(data.strange, [0]))),
        "top": tried(lambda: top_of(model)),
        "information": tried(lambda: informed(model)),
        "evidence": tried(lambda: evidence_of(model, data.X)),
    }
    for name in ("decision_function", "transform"):
        if hasattr(model, name):
            out[name] = tried(partial(getattr(model, name), asked))
    return {**out, "tables": tried(lambda: tables_of(model))} if hasattr(model, "columns_") else out


def judged(model: Any, X: Any, y: Any, *args: Any, **options: Any) -> Any:
    """Return what a model says of rows that are left out."""
    found = sf.evaluate.leave_one_out(model, X, y, *args, **options)
    return {
        "probabilities": found.probabilities[:SOME],
        "summary": [found.log_loss, found.accuracy, found.n_singletons],
    }


def held_out(case: Case) -> dict[str, Any]:
    """Return leave-one-out, alone and in groups."""
    data = case.data()
    model = case.make().fit(data.X, data.y)

    def weighted() -> Any:
        heavy = case.make().fit(data.X, data.y, data.weights)
        return judged(heavy, data.X, data.y, data.weights, groups=data.groups, views="fixed")

    return {
        "alone": tried(lambda: judged(model, data.X, data.y)),
        "in groups": tried(lambda: judged(model, data.X, data.y, groups=data.groups)),
        "with views as they are": tried(lambda: judged(model, *data.part(np.arange(20)), views="fixed")),
        "weighted, in groups": tried(weighted),
    }


def changed(case: Case) -> dict[str, Any]:
    """Return what models say that learned in other ways, or forgot."""
    data = case.data()
    n = case.n
    a, b, c = np.arange(n // 3), np.arange(n // 3, n // 2), np.arange(n // 2, n)
    late = np.where(np.arange(n) < n // 2, 1.0, data.weights)
    whole = case.make().fit(data.X, data.y)
    one, other = case.make().fit(*data.part(a)), case.make().fit(*data.part(c))

    def told(make: Callable[[], Any]) -> Any:
        return tried(lambda: {**predicted(model := make(), data), "stale": model.stale_})

    def told_alone(make: Callable[[], Any]) -> Any:  # what was counted is that of another
        answers = told(make)
        answers.pop("counts", None)
        return answers

    def in_batches() -> Any:
        model = case.make().partial_fit(*data.part(a), classes=np.unique(data.y))
        return model.partial_fit(*data.part(b)).partial_fit(*data.part(c), sample_weight=late[c])

    def weighted() -> Any:
        return case.make().fit(data.X, data.y, data.weights)

    return {
        "weighted": told(weighted),
        "weighted evidence": tried(lambda: weighted().log_evidence_),
        "grouped": told_alone(lambda: case.make().fit(data.X, data.y, groups=data.groups)),
        "batches": told(in_batches),
        "refreshed": told(lambda: in_batches().refresh(data.X, data.y, late)),
        "merged": told(lambda: one + other),
        "merged in place": told_alone(lambda: copy(other).merge(one)),
        "subtracted": told(lambda: whole - one),
        "forgetful": told(lambda: copy(whole).forget(*data.part(b))),
        "without a trace": told(lambda: copy(whole).forget(*data.part(b), drop_views=True)),
        "decayed": told(lambda: copy(whole).decay(0.5)),
        "without views": told_alone(lambda: copy(whole).drop_views()),
    }


def some_labels(case: Case) -> tuple[Any, Any]:
    """Return rows of which every third has a label."""
    data = case.data()
    labels = data.y.astype(object)
    labels[case.n // 3 :] = None
    return data.X, labels


def said_by_both(model: Any, data: Data) -> dict[str, Any]:
    """Return what a semi-supervised model says."""
    return {
        "objective": plain(model.objective_),
        "n_iter": plain(model.n_iter_),
        "log_proba": tried(lambda: model.predict_log_proba(data.asked)),
        "unlabelled_weight": plain(model.unlabelled_weight_),
        "class_count": tried(lambda: model.estimator_.class_count_),
    }


def partly_labelled(case: Case) -> dict[str, Any]:
    """Return what EM makes of labels of some rows."""
    data, (X, labels) = case.data(), some_labels(case)

    def climbed(*args: Any, **options: Any) -> Any:
        model = semi_supervised(case, **options).fit(X, labels, *args)
        return {**said_by_both(model, data), "transduction": model.transduction_}

    out = {"plain": tried(climbed), "light": tried(lambda: climbed(unlabelled_weight=0.25))}
    if case.quick and case.name not in NO_MODEL_OF_ROWS:
        out["weighted"] = tried(lambda: climbed(data.weights, max_iter=2))
        out["chosen"] = tried(lambda: climbed(unlabelled_weight="loo", max_iter=3))
    return out


def said_of_clusters(model: Any, data: Data) -> dict[str, Any]:
    """Return what a mixture says of rows."""
    return {
        "weights": tried(lambda: model.weights_),
        "proba": tried(lambda: model.predict_proba(data.asked)),
        "score_samples": tried(lambda: model.score_samples(data.asked)),
        "bic": tried(lambda: model.bic(data.X)),
    }


def clustered(case: Clusters) -> dict[str, Any]:
    """Return clusters, and how they were found."""
    data = data_of(case.rows, 60)
    model = case.make().fit(data.X)
    return {
        **said_of_clusters(model, data),
        "attributes": attributes_of(model),
        "weighted": tried(lambda: case.make().fit(data.X, sample_weight=data.weights).objective_[-1]),
    }


def fitted(case: Case) -> Any:
    """Return the classifier that has learned all its rows."""
    data = case.data()
    return case.make().fit(data.X, data.y)


def said_of_words(model: Any, data: Data) -> dict[str, Any]:
    """Return what a language model says."""
    return {
        "counts": {"counts_": tried(lambda: model.counts_)},
        "words": tried(lambda: model.words_),
        "probabilities": tried(lambda: model.probabilities()),
        "log_prob": tried(lambda: model.log_prob([*data.asked, *data.strange])),
        "perplexity": tried(lambda: model.perplexity(data.asked)),
    }


def spoken(name: str) -> dict[str, Any]:
    """Return what a language model says, and after it has read more."""
    data = data_of(texts, 40)
    model = LANGUAGES[name]().fit(data.X)
    return {**said_of_words(model, data), "updated": said_of_words(copy(model).partial_fit(data.asked), data)}


def said_of_features(model: Any, data: Data) -> dict[str, Any]:
    """Return which features tell most."""
    return {
        "support": tried(lambda: model.get_support()),
        "information": tried(lambda: model.information_.by_feature),
        "transformed": tried(lambda: model.transform(data.asked)),
    }


def selected(name: str) -> dict[str, Any]:
    """Return which features tell most, and where rows have weights."""
    make, rows = SELECTIONS[name]
    data = data_of(rows, 90)
    heavy = make().fit(data.X, data.y, data.weights)
    return {**said_of_features(make().fit(data.X, data.y), data), "weighted": said_of_features(heavy, data)}


def compared(name: str) -> dict[str, Any]:
    """Return which of some models the rows speak for."""
    makers, rows = COMPARED[name]
    data = data_of(rows, 90)
    models = {each: make().fit(data.X, data.y) for each, make in makers.items()}
    unfitted = {each: make() for each, make in makers.items()}
    return {
        "evidence": tried(lambda: sf.compare(models).to_dict()),
        "loss": tried(lambda: sf.compare(models, data.X, data.y).to_dict()),
        "crossfit": tried(lambda: sf.compare(unfitted, data.X, data.y).to_dict()),
        "bayes_factor": tried(lambda: sf.bayes_factor(*models.values())),
    }


def vectorized(name: str) -> dict[str, Any]:
    """Return words and how often they occur."""
    data = data_of(texts, 40)
    model = VECTORIZERS[name]().fit(data.X)
    return {
        "names": plain(model.get_feature_names_out()),
        "counts": {"counts": plain(model.transform([*data.asked, *data.strange]))},
    }


Ask = Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Part:
    """Some outputs of a case, and what computes them."""

    case: str
    name: str
    ask: Ask
    quick: bool

    def __str__(self) -> str:
        return f"{self.case}, {self.name}"

    def outputs(self) -> dict[str, Any]:
        """Compute the outputs of a case, whatever is warned of meanwhile."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out: dict[str, Any] = plain(self.ask())
        return out


@dataclass(frozen=True)
class Stored:
    """A model to be kept in a file, and what of a part it says when it is loaded."""

    case: str
    part: str
    make: Callable[[], Any]
    say: Callable[[Any], dict[str, Any]]

    def __str__(self) -> str:
        return f"{self.case}, {self.part}"


def every_part() -> Iterator[Part]:
    """Yield all that is frozen."""
    asked: dict[str, Callable[[Case], dict[str, Any]]] = {
        "fitted": lambda case: answered(fitted(case), case.data()),
        "held out": held_out,
        "changed": changed,
        "partly labelled": partly_labelled,
    }
    for case in CASES:
        for name, ask in asked.items():
            yield Part(case.name, name, partial(ask, case), case.quick and (case.name, name) not in SLOW)
    for clusters in MIXTURES:
        yield Part(f"Mixture {clusters.name}", "clusters", partial(clustered, clusters), clusters.quick)
    for kind, (names, tell) in MORE.items():
        for name in names:
            title = f"{kind} {name}"
            yield Part(title, "answers", partial(tell, name), (title, "answers") not in SLOW)


MORE: dict[str, tuple[Any, Callable[[str], dict[str, Any]]]] = {
    "LanguageModel": (LANGUAGES, spoken),
    "SelectInformative": (SELECTIONS, selected),
    "compare": (COMPARED, compared),
    "CountVectorizer": (VECTORIZERS, vectorized),
}


def every_stored() -> Iterator[Stored]:
    """Yield all models that files are kept of."""
    for case in CASES:
        data = case.data()
        if case.name not in ONLY_OUTPUTS:
            yield Stored(case.name, "fitted", partial(fitted, case), partial(predicted, data=data))
        if case.quick and case.name not in NO_MODEL_OF_ROWS:
            partly = partial(lambda case: semi_supervised(case).fit(*some_labels(case)), case)
            yield Stored(case.name, "partly labelled/plain", partly, partial(said_by_both, data=data))
    for clusters in MIXTURES:
        data = data_of(clusters.rows, 60)
        made = partial(lambda clusters, data: clusters.make().fit(data.X), clusters, data)
        yield Stored(f"Mixture {clusters.name}", "clusters", made, partial(said_of_clusters, data=data))
    data = data_of(texts, 40)
    for name, make in LANGUAGES.items():
        made = partial(lambda make, data: make().fit(data.X), make, data)
        yield Stored(f"LanguageModel {name}", "answers", made, partial(said_of_words, data=data))
    for name, (make, rows) in SELECTIONS.items():
        data = data_of(rows, 90)
        made = partial(lambda make, data: make().fit(data.X, data.y), make, data)
        yield Stored(f"SelectInformative {name}", "answers", made, partial(said_of_features, data=data))
