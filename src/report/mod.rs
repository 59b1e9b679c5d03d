//! One report object, one renderer per format.
