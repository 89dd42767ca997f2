"""`python -m muniment` is the command line."""

from muniment.surfaces.entry import main

if __name__ == "__main__":
    main()
