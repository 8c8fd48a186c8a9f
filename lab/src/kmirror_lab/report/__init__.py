"""The report of the duplicates laboratory: runs as a page, with plots and plain words."""
