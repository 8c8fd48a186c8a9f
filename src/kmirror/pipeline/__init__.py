"""Spark: the session, a flow's query, and the lanes' desk. The only package that imports pyspark."""
