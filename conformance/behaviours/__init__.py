"""What the suite checks, by area: each row of the matrix is a module of one."""
