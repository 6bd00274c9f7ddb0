"""Run the command line as `python -m suffice.cli`, where `suffice` is not on the path."""

from suffice.cli.main import main

if __name__ == "__main__":
    main()
