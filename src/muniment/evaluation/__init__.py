"""How well and how fast it works, through the public path alone."""
