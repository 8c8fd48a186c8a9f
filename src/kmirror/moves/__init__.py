"""How consumer groups go over to the other cluster, and come back."""
