"""Advice for a properties file and the links that it runs over; pure."""
