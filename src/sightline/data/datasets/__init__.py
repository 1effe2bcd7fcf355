"""Data sets known by name, one per file: what was published of them, so that gaps show."""
