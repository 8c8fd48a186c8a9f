"""How consumer groups follow a flow, and where they are."""
