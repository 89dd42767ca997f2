"""The HTTP side of the authorization server: metadata, registration, authorization, tokens, login, and the pages a person sees.

Addresses come from the settings, never from a request; every page and endpoint answers with no-store.
"""
