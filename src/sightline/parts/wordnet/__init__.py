"""WordNet 3.0: its nouns as shipped here, and the whole of it where it is installed."""
