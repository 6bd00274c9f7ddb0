"""Report on a model and its predictions in one self-contained HTML page."""

from suffice.reporting.page import Report, report

__all__ = ["Report", "report"]
