"""The simulator: plays matches on a simulated board and renders them as an overhead camera would record them.

It knows the world and the laws, and nothing of the vision that is tested with it.
"""
