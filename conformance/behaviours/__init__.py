"""The behaviours that the suite checks, by area: one module per row of the matrix."""
