//! The examples of the format's description are right.

use schedscope_scenario::{Document, read_machine, read_row};

const TEXT: &str = include_str!("../../../docs/scenario-format.md");

#[test]
fn every_toml_fence_is_read() {
    let mut fences = 0;
    let mut rest = TEXT;
    while let Some((_, after)) = rest.split_once("\n```toml") {
        let (info, body) = after.split_once('\n').expect("a line");
        let (fence, next) = body.split_once("\n```").expect("an end");
        let problems = match info.trim() {
            "" => Document::from_toml(fence).and_then(|document| document.setup()).err(),
            "machine" => read_machine(fence).err(),
            "task" => read_row(fence).err(),
            other => panic!("{other}?"),
        };
        assert_eq!(problems, None, "{fence}");
        (fences, rest) = (fences + 1, next);
    }
    assert!(fences >= 5);
}
