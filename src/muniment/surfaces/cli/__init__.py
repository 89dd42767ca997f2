"""The command line for people. Importing this loads nothing; `main` loads click and then one command."""


def main() -> None:
    """The command line as a program."""
    from muniment.surfaces.cli.program import main as run

    run()
