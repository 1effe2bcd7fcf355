"""Why class labels may not be enough to localize, and when they are."""
