"""Orders in which the parts of a category are added, one per file."""
