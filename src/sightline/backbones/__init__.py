"""Networks that turn images into features: one file each, whose name is the registry's."""
