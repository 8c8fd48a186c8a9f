"""The moving parts of a flow."""
