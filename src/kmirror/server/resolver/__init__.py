"""`kmirror resolve`: tells applications in any language where they work."""
