"""Starts the host, from any working directory and with a Python that may be too old.

Must be readable by every Python 3, and must not let the working directory onto the path: what a
project contains does not run here.
"""

import os
import sys


def start() -> None:
    if sys.version_info < (3, 12):
        version = "%d.%d" % sys.version_info[:2]
        sys.exit("Python plugins need Python 3.12 or later; %s is %s" % (sys.executable, version))
    package_home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    here = ("", ".", os.getcwd(), os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = [package_home] + [path for path in sys.path if path not in here]
    try:
        from letscode.host.run import main
    except ImportError as error:
        missing = error.name or "a module"
        sys.exit(
            "Python plugins need pydantic, pluggy and rich; %s has no %s"
            % (sys.executable, missing)
        )
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    start()
