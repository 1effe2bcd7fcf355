"""Pictures of maps, boxes and masks."""
