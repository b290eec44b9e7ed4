"""The campaign against the program: kills, power cuts, damage, hostile files, many connections, fuzzing."""
