"""The courier: brings a board's logs to the hub of a hall, and the hub's words to the board's camera process.

It is a process of its own, one more house on the link, and off unless the board is paired. The log file is its outbox:
it keeps no state. The hub answers how many bytes of each log it has committed, and from there the courier goes on.
Messages travel over MQTT 5; `docs/hall.md` has the contract.
"""
