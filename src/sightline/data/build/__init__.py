"""How benchmark splits are made."""
