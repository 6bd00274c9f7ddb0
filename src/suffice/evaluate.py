"""Evaluate classifiers on rows that they have not learned: log loss without clipping, confusion and calibration."""

from suffice.estimators.comparing.validation import (
    ClassScores,
    CrossFit,
    HoldOut,
    LeaveOneOut,
    Reliability,
    Validation,
    crossfit,
    hold_out,
    leave_one_out,
    log_loss,
    reliability,
    share_interval,
    validate,
)

__all__ = [
    "ClassScores", "CrossFit", "HoldOut", "LeaveOneOut", "Reliability", "Validation", "crossfit", "hold_out",
    "leave_one_out", "log_loss", "reliability", "share_interval", "validate",
]  # fmt: skip
