//! A picture and an audit of every state of the page, from `tests/browser/pictures.json`.

use crate::{
    page::{self, Mode},
    setup,
    shell::{Outcome, command, root, run},
};

/// `shoot [DIR] [RE] [--no-build]`.
pub(crate) fn shoot(args: &[String]) -> Outcome {
    let names: Vec<&str> =
        args.iter().map(String::as_str).filter(|arg| *arg != "--no-build").collect();
    setup::node()?;
    let chromium = setup::chromium()?;
    if names.len() == args.len() {
        setup::for_page()?;
        setup::wasm_opt()?;
        page::build(Mode::Release)?;
    }
    page::dist()?;
    let folder = root().join(names.first().unwrap_or(&"target/pictures"));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut node = command("node");
    node.args(["tests/browser/tools/shoot.mjs", "tests/browser/pictures.json"]);
    node.arg(names.get(1).unwrap_or(&"")).arg(folder).env("CHROME", chromium);
    run(&mut node)
}
