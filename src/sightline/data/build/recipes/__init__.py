"""Recipes, one per file; the file's name is the registry's."""
