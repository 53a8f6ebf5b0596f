//! Text formats: scenario TOML, lesson fences, lscpu and hwloc topologies. All problems at once.
