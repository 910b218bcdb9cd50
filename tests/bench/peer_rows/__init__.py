"""Python's libraries as contenders of tessera bench: data, protocol, libraries, reports."""
