"""kmirror against the real MirrorMaker 2, on real clusters, in one run: `python -m bench`."""
