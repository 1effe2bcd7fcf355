"""Explainers: from a network, images and labels to score maps."""
