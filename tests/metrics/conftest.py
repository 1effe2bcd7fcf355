"""Property tests here draw the same examples in every run and have no deadline."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "metrics",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("metrics")
