"""The contract suite: what every adapter must do, judged by the origin's ledger."""
