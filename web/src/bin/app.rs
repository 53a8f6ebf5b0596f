//! The page, and the worker beside it: the same module, whose place tells what it is.

fn main() {
    #[cfg(target_arch = "wasm32")]
    if schedscope_web::worker::is_here() {
        schedscope_web::worker::start();
    } else {
        schedscope_web::app::start();
    }
}
