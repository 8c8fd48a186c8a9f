"""The control plane of one cluster: one small protocol, confluent-kafka behind it."""
