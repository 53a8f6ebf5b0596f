//! The engine: the Linux CPU scheduler as a deterministic discrete-event simulation. Pure, integer, silent.
