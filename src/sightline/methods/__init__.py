"""Localization methods and learned baselines: one file each, whose name is the registry's."""
