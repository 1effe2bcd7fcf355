"""Data sets as their makers released them, one per file, named as the data set."""
