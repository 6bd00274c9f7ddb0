"""How the constants behind TextClassifier() were chosen: by folds of training texts alone, corpus by corpus.

The texts are those of `chosen.py`: training parts of 20 Newsgroups and R8, 70 % of SMS spam, docstrings; and lines of
the declaration of human rights in hundreds of languages, by letters. Each line is one constant set otherwise; its log
losses are shown as multiples of those with the constants as they are, its times likewise.

    python benchmarks/word_defaults.py [--folds 2] [corpus ...]
"""

import argparse
import sys
import warnings
from typing import Any

import numpy as np
from chosen import folds, texts_of
from joint_defaults import settled
from judging import Judged, judge
from side_by_side import keep, markdown

import suffice as sf
from suffice.models.choosing.optimize import Axis

CHOOSING, TOKENS = "suffice.models.choosing.", "suffice.estimators.texts.token_choice"
NAMES = "sms", "r8", "docstrings", "udhr", "news"
Change = tuple[str, str, Any]

CANDIDATES: dict[str, list[Change]] = {
    "unchanged": [],
    "simplest option within 1 standard error": [(f"{CHOOSING}option_judge", "NOISE", 1.0)],
    "best option, however small the gain": [(f"{CHOOSING}option_judge", "NOISE", 0.0)],
    "best of many options must gain 1 standard error": [(f"{CHOOSING}option_judge", "SEARCHED", 1.0)],
    "floor of a third of a row": [(f"{CHOOSING}option_judge", "UNPREDICTED", 0.3)],
    "floor of a tenth of a row": [(f"{CHOOSING}option_judge", "UNPREDICTED", 0.1)],
    "4,000 held-out texts": [(f"{CHOOSING}wanted", "EFFORTS", {"fast": 2000, "balanced": 4000, "best": 16000})],
    "half as much work": [(f"{CHOOSING}chooser", "WORK", 2**23)],
    "twice as much work": [(f"{CHOOSING}chooser", "WORK", 2**25)],
    "cross-validation up to 5,000 texts": [(f"{CHOOSING}word_choice", "FEW", 5000)],
    "4,000 texts choose the tokens": [(TOKENS, "TOKEN_ROWS", 4000)],
    "character n-grams for texts of up to 100 letters": [(TOKENS, "SHORT", {"balanced": 100, "best": 250})],
    "character n-grams for texts of up to 250 letters": [(TOKENS, "SHORT", {"balanced": 250, "best": 250})],
    "residuals for words of a single text": [(f"{CHOOSING}word_residuals", "LEAST", 1)],
    "1,000 texts fit the weights that score others": [(f"{CHOOSING}word_trial", "WEIGHED", 1000)],
    "4,000 texts fit the weights that score others": [(f"{CHOOSING}word_trial", "WEIGHED", 4000)],
    "options are fitted to 1e-3": [(f"{CHOOSING}word_trial", "ROUGH_WORDS", 1e-3)],
    "options are fitted to 1e-2": [(f"{CHOOSING}word_trial", "ROUGH_WORDS", 1e-2)],
    "weights are fitted to 1e-4": [(f"{CHOOSING}chooser", "FINE_WORDS", 1e-4)],
    "residuals are fitted to 3e-2": [(f"{CHOOSING}word_residuals", "ENOUGH", 3e-2)],
    "12,000 held-out texts for residuals": [(f"{CHOOSING}word_residuals", "JUDGED_BY", 12_000)],
    "ridge of residuals from 0.03": [(f"{CHOOSING}word_choice", "OF_RESIDUAL", Axis("residual", 10**0.5, 0.03, 100.0))],
    "ridge of residuals from 1": [
        (f"{CHOOSING}word_choice", "RESIDUAL", 1.0),
        (f"{CHOOSING}word_choice", "OF_RESIDUAL", Axis("residual", 10**0.5, 1.0, 100.0)),
    ],
}
"""Changed constants: module, name and value."""


def losses(name: str, most: int) -> dict[str, Judged] | None:
    """Return what each candidate does on a corpus, in so many of five folds."""
    found = texts_of(name)
    if found is None:
        return None
    parts, out = folds(*found)[:most], {}
    given: dict[str, Any] = {"ngram_range": (1, 3), "tokens": sf.Tokens(analyzer="char_wb")} if name == "udhr" else {}
    for candidate, changes in CANDIDATES.items():
        with warnings.catch_warnings(), settled(changes):
            warnings.simplefilter("ignore")
            out[candidate] = judge(lambda: sf.TextClassifier(**given), parts)
        print(f"{name:<12}{candidate:<48}{out[candidate].log_loss:.4f}  {out[candidate].seconds:.2f} s", flush=True)
    return out


def clearly(one: Judged, usual: Judged) -> str:
    """Return a mark where the losses of rows differ by more than two standard errors."""
    more = one.each - usual.each
    return "*" if abs(more.sum()) > 2 * np.sqrt(len(more)) * more.std() else ""


def main() -> int:
    given = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    given.add_argument("--folds", type=int, default=2, help="of five folds, so many")
    given.add_argument("names", nargs="*", choices=[[], *NAMES], help="corpora; all if none is named")
    asked = given.parse_args()
    found = {name: one for name in asked.names or NAMES if (one := losses(name, asked.folds)) is not None}
    if not found:
        print("No corpus is here: SUFFICE_DATA names their folder.")
        return 0
    lines = []
    for candidate in CANDIDATES:
        pairs = [(one[candidate], one["unchanged"]) for one in found.values()]
        ratios = [one.log_loss / usual.log_loss for one, usual in pairs]
        seconds = [one.seconds / usual.seconds for one, usual in pairs]
        mean, slower = (float(np.exp(np.mean(np.log(each)))) for each in (ratios, seconds))
        marked = [f"{ratio:.3f}{clearly(*pair)}" for ratio, pair in zip(ratios, pairs, strict=True)]
        lines.append([candidate, f"{mean:.3f}", f"{slower:.2f}", *marked])
    print(markdown(["", "mean", "time", *found], lines))
    kept = {name: {way: one.log_loss for way, one in ways.items()} for name, ways in found.items()}
    keep("word_defaults", {"losses": kept})
    return 0


if __name__ == "__main__":
    sys.exit(main())
