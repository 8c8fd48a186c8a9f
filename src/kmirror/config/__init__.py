"""MirrorMaker 2's properties file, read into typed values. Pure, apart from reading files."""
