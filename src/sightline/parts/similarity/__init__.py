"""How alike two nouns are: the measures of WordNet::Similarity 2.05, one file each."""
