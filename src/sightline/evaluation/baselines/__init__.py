"""Score sources that look at no image, one per file: `score_map(options)`."""
