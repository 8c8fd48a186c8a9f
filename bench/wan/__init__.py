"""kmirror and MirrorMaker 2 on wide-area links that are imitated."""
