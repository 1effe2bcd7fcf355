"""What answers to part sequences are worth: scores of images, tables of classifiers, hardness."""
