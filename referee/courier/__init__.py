"""The courier: brings a board's logs to the hub of a hall, and the hub's words to the board's vision process.

It is a process of its own, a client of the link beside the web server, and off unless the board is paired. The log file
is its outbox: it keeps no state. The hub answers how many bytes of each log it has committed, and the courier goes on
from there. Messages travel over MQTT 5; `docs/hall.md` has the contract.
"""
