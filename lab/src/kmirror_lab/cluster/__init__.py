"""Kafka clusters of this machine: brokers, ZooKeeper, MirrorMaker 2, and their clients."""
