"""What the clusters know about a flow and its link, without a running driver."""
