"""Pond, the embedded world: scenes that are generated, and of which everything is known."""
