"""Applies plans to a cluster."""
