"""What is typical of this board, under this camera and in this light; measured while people play."""
