"""Reports as one HTML page: everything inside, nothing fetched, readable without JavaScript."""
