"""Who is it, and may they. Authority comes from the token, never from the request."""
