"""Load data without a download: a corpus from the installed libraries, and readers of well-known files."""

from suffice.datasets.corpus import Corpus
from suffice.datasets.installed import docstrings
from suffice.datasets.tables import Bags, LabelledTable, read_table, read_xwindows
from suffice.datasets.texts import read_20newsgroups, read_reuters_r8, read_sms_spam, read_udhr

__all__ = [
    "Bags",
    "Corpus",
    "LabelledTable",
    "docstrings",
    "read_20newsgroups",
    "read_reuters_r8",
    "read_sms_spam",
    "read_table",
    "read_udhr",
    "read_xwindows",
]
