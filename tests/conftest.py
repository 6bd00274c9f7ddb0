"""Hypothesis is set once: the same examples on every run, so that a red test stays red until it is mended."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "suffice", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", deadline=None, max_examples=500, suppress_health_check=list(HealthCheck))
settings.load_profile("suffice")
