"""The program: ``metaphrase …`` or ``python -m metaphrase …``."""

import sys

from metaphrase._native import command_line


def main() -> None:
    """Runs the program with the arguments of this process."""
    sys.exit(command_line(["metaphrase", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
