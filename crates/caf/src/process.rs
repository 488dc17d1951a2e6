//! The one state of a process that is an image.
