"""Pictures of what models say, by Altair. The only place that imports it, when a picture is made."""

from suffice.plots.reliability import reliability
from suffice.plots.waterfall import waterfall

__all__ = ["reliability", "waterfall"]
