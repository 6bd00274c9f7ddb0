"""The text that `suffice` alone prints: what to type first, and the verbs."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["getting_started"]

START = """\
Suffice learns from labelled examples to classify texts and rows of tables.

Type this first; mail.csv stands for your own file with a column of labels:

  suffice evaluate mail.csv                   how well are its labels predicted?

Then:

  suffice fit mail.csv -o mail.suffice        fit a model and write its file
  suffice predict mail.suffice new.csv        classify the rows of another file
  suffice explain mail.suffice "cheap pills"  show why a text gets its class

No file at hand? 'suffice demo' fits a model to texts installed here.

Verbs:

"""
END = "\n'suffice fit --help' shows the options of a verb, with an example."


def getting_started(verbs: Iterable[tuple[str, str]]) -> str:
    """Return the text, with a line for each verb and its summary."""
    pairs = list(verbs)
    width = max(len(name) for name, _ in pairs)
    return START + "".join(f"  {name:<{width}}  {summary}\n" for name, summary in pairs) + END
