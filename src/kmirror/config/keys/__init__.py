"""The one table of keys that a properties file may have, in parts."""
