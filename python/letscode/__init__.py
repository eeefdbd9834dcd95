"""What Python plugins import: the stable surface, and the host that runs them.

The program carries this package and puts it first on the path of the one process in which its
Python plugins run. Owns the names that plugins may rely on; the agent itself is in the program.
"""

__version__ = "0.8.0"
