"""What `muniment eval` and `muniment bench` run. Muniment is measured through its public operations and nothing else."""
