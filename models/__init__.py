"""The physical world of carrom and its rule books as typed data; no camera, no clock, no OpenCV."""
