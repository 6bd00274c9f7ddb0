"""One page about a model and how it does: self-contained, and made for people."""

from suffice.reporting.page import Report, report

__all__ = ["Report", "report"]
