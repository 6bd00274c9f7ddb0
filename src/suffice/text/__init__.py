"""Turn documents from any container into tokens: words as Python's regular expressions find them, and n-grams."""

from suffice.text.documents import Batch, batches, text_hashes, unwrapped
from suffice.text.tokenization import Analysis, learn, look_up, matrix
from suffice.text.tokens import TermWeighting, Tokens
from suffice.text.word_list import WordList

__all__ = [
    "Analysis", "Batch", "TermWeighting", "Tokens", "WordList", "batches", "learn", "look_up", "matrix", "text_hashes",
    "unwrapped",
]  # fmt: skip
