"""Proof, record by record, that a target holds what its source holds."""
