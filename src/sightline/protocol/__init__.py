"""Fair comparison: search, selection, ranking transfer, noise, few labels, and the tables of it."""
