"""Explainers as localizers: each scored on the same images, beside what it costs."""
