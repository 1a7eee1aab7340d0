//! Test aids: a scripted fake model and exhaustive search.
