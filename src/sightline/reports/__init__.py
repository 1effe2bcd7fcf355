"""Tables as pages, LaTeX and CSV."""
