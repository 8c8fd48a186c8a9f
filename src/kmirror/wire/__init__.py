"""Bytes and text that kmirror and MirrorMaker 2 leave in Kafka, as values; pure."""
