//! The page: Yew components, the canvas painter, the one frame loop and the worker.
