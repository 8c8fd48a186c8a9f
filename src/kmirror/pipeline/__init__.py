"""Spark: the session, the query, the lanes' desk. Only this package imports pyspark."""
