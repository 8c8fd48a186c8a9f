"""What an operator sees of all flows: their figures, questions to their clusters, and orders."""
