"""One way to rank each. A view finds candidates and scores whatever the pool holds."""
