"""From a question to cited evidence. No language model takes part."""
