"""The part benchmark: how little of an object a classifier needs to see."""
