"""From photographs to batches: decoding once, the same random crops for any number of workers."""
