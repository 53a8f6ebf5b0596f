//! The page.

fn main() {
    #[cfg(target_arch = "wasm32")]
    schedscope_web::app::start();
}
