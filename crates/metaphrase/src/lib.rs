//! A translator: text in, text out.
