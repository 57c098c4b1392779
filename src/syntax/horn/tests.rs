//! Tests of the reader of Horn clauses.
