"""What of an image is shown beside the parts that were added, one per file."""
