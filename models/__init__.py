"""The physical world of carrom and its rule books as typed data. It knows no camera, no clock and no OpenCV."""
