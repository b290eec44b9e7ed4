"""The hub of a hall: keeps a copy of every board's logs, shows all boards at once, and carries the chief's words.

The truth stays at the boards. The hub holds a prefix of each log, byte for byte, in PostgreSQL; everything else here is
made from it and may be dropped.
"""
