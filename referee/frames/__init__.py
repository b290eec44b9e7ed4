"""Sources of frames: cameras, video files, folders and the simulator behind one iterator type."""
