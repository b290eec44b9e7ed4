"""Changes of the database in order: numbered files of SQL, each applied once."""
