"""Classifiers that answer to part sequences, one per file."""
