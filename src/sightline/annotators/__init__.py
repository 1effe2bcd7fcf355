"""Pseudo-annotators: where objects are, by the word of whatever needs no annotator."""
