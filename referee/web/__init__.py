"""The web server: serves the scoreboard and the umpire's desk to every browser on the local network, without
internet.
"""
