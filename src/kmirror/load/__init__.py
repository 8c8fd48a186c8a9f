"""Load on purpose: records that are written to be looked for, and what became of them."""
