"""What `help(...)` prints of estimators: our own methods first, and nothing that nobody reads."""

import inspect
import pydoc
import re
from typing import Any, Self

import pytest
import sklearn
from sklearn.utils.metadata_routing import get_routing_for_object

import suffice as sf

ESTIMATORS = [name for name in sf.__all__ if hasattr(getattr(sf, name), "get_params")]
CLASSIFIERS = [name for name in ESTIMATORS if hasattr(getattr(sf, name), "forget")]


def printed(kind: type[Any]) -> str:
    return pydoc.plain(pydoc.render_doc(kind))


def test_no_page_of_metadata_routing_is_printed() -> None:
    for name in ESTIMATORS:
        text = printed(getattr(sf, name))
        assert "Metadata routing for ``" not in text
        assert "Configure whether metadata" not in text


def test_our_methods_come_before_those_of_scikit_learn() -> None:
    for name in CLASSIFIERS:
        sections = re.findall(r"^ \|  .* inherited from (\S+):$", printed(getattr(sf, name)), re.MULTILINE)
        ours = [place for place, owner in enumerate(sections) if owner.startswith("suffice.estimators.shell")]
        theirs = [place for place, owner in enumerate(sections) if owner == "sklearn.base.BaseEstimator"]
        assert len(ours) > 3
        assert max(ours) < min(theirs)


def test_the_help_of_a_classifier_of_texts_is_not_longer_than_it_was_made() -> None:
    assert len(printed(sf.TextClassifier).splitlines()) < 780  # 890 with the pages of metadata routing


def test_each_request_has_one_line_of_help() -> None:
    for name in ESTIMATORS:
        kind = getattr(sf, name)
        for method in [one for one in dir(kind) if re.fullmatch(r"set_\w+_request", one)]:
            found = getattr(kind, method)
            assert "\n" not in found.__doc__, method
            names = list(inspect.signature(found).parameters)
            assert names[0] == "self"
            assert len(names) > 1


def test_public_properties_show_their_own_description() -> None:
    for name in ESTIMATORS:
        kind = getattr(sf, name)
        for attribute in [one for one in dir(kind) if not one.startswith("_")]:
            found = inspect.getattr_static(kind, attribute)
            if isinstance(found, property) and found.fget.__module__.startswith("suffice"):
                assert found.__doc__ == found.fget.__doc__, attribute
                assert attribute in printed(kind)


def test_requests_work_as_those_of_scikit_learn() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = sf.MultinomialNB().set_fit_request(sample_weight=True, groups="authors")
        requests = get_routing_for_object(model)
        assert requests.fit.requests == {"groups": "authors", "journal": None, "sample_weight": True}
        assert get_routing_for_object(sf.MultinomialNB()).fit.requests["sample_weight"] is None
        with pytest.raises(TypeError, match="Unexpected args"):
            model.set_fit_request(colour=True)
    with pytest.raises(RuntimeError, match="enable_metadata_routing"):
        sf.MultinomialNB().set_fit_request(sample_weight=True)


def test_a_class_of_a_user_has_requests_of_its_own() -> None:
    class Mine(sf.MultinomialNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None, *, colour: Any = None) -> Self:  # type: ignore[override]
            return super().fit(X, y, sample_weight)

    with sklearn.config_context(enable_metadata_routing=True):
        model = Mine().set_fit_request(colour=True).set_score_request(sample_weight=True)
        assert get_routing_for_object(model).fit.requests == {"colour": True, "sample_weight": None}
        assert get_routing_for_object(model).score.requests == {"sample_weight": True}
