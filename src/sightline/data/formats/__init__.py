"""Formats of ground truth, one per file: `recognises(path, request)` and `read(path, request)`."""
