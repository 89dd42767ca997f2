"""What may be believed, and the ledger of every change."""
