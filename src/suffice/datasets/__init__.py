"""Load data without a download: a corpus from the installed libraries, and readers of well-known files."""

from suffice.datasets.corpus import Corpus
from suffice.datasets.installed import docstrings
from suffice.datasets.newsgroups import read_20newsgroups
from suffice.datasets.tables import LabelledTable, read_table
from suffice.datasets.texts import read_reuters_r8, read_sms_spam
from suffice.datasets.udhr import read_udhr
from suffice.datasets.xwindows import Bags, read_xwindows

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
