"""Words: tokens, sentences, spans, dates, secrets. Pure functions of a text; nothing here knows the store."""
