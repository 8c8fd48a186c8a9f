"""The library for applications that read mirrored clusters."""
