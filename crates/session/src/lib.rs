//! The API boundary: Command in, Update out. Owns the simulation and its history.
