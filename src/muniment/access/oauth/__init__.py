"""OAuth 2.1: clients, what a person granted them, and the tokens that come of it. No HTTP here.

Every secret is 256 random bits of which the store keeps a hash; all state lies in the store, so any process can go on with it.
"""
