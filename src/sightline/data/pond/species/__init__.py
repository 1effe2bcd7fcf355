"""The species of the world, one per file: what each is called and what it looks like."""
