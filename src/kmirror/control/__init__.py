"""What a flow was told to do: orders that lie on its target."""
