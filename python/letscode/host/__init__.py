"""The host: one process in which all Python plugins run, speaking the plugin protocol.

Owns the translation between hooks and lines. Started by the program as
`PYTHON -P …/letscode/host/__main__.py [--site FOLDER]… [--without NAME]…`.
"""
