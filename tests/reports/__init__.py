"""Result files as a page, as data, and in a browser."""
