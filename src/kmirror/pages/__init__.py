"""Pages for people: HTML that needs nothing else, with plots for a screen and for a telephone."""
