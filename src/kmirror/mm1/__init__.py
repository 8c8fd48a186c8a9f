"""MirrorMaker 1's command: its options, its two files, and its streams as members of a group."""
