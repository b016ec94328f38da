"""Two jars held against each other, and all releases one after the other."""
