"""Presets, one per file: `PROTOCOL` holds the choices, the docstring says whose they are."""
