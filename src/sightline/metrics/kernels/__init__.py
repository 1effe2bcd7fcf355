"""metrics/kernels."""
