"""Metrics that are sent to an OpenTelemetry collector; imported where the file names one."""
