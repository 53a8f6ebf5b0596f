//! Packs the release page's module. A static host sends a `.wasm` gzipped at best; LZMA makes it a
//! quarter smaller, and the loader (`web/boot.js`) unpacks it in a fifth of a second.

use crate::shell::Outcome;
use lzma_rust2::{LzmaOptions, LzmaWriter};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// What a packed module's name ends in.
const ENDING: &str = ".lzma";

/// Packs the module in a folder that trunk has filled, and makes its page name the packed one.
pub(crate) fn pack(folder: &Path, html: &str) -> Outcome<String> {
    let module = module(folder)?;
    let bytes = fs::read(&module).map_err(|error| error.to_string())?;
    let name = module.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    fs::write(folder.join(format!("{name}{ENDING}")), packed(&bytes)?)
        .and_then(|()| fs::remove_file(&module))
        .map_err(|error| error.to_string())?;
    Ok(renamed(html, name))
}

/// The module that trunk has made.
fn module(folder: &Path) -> Outcome<PathBuf> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?.flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths
        .find(|path| path.extension().is_some_and(|ending| ending == "wasm"))
        .ok_or_else(|| format!("trunk has left no module in {}", folder.display()))
}

/// An .lzma file; its header says how long the content is.
fn packed(bytes: &[u8]) -> Outcome<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    options.dict_size = 1 << 23;
    // Instructions lie at any address: nothing is gained from knowing its last bits.
    (options.lc, options.lp, options.pb) = (4, 0, 0);
    options.nice_len = 273;
    let told = |error: std::io::Error| format!("the module could not be packed: {error}");
    let mut writer =
        LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64)).map_err(told)?;
    writer.write_all(bytes).map_err(|error| error.to_string())?;
    writer.finish().map_err(told)
}

/// The page with the packed name of the module, which has no check sum of trunk's.
fn renamed(html: &str, name: &str) -> String {
    let packed = format!("{name}{ENDING}");
    let mut out = String::new();
    for (i, part) in html.split(name).enumerate() {
        if i == 0 {
            out.push_str(part);
            continue;
        }
        out.push_str(&packed);
        // In the link that loads it early: up to the end of that tag.
        let (tag, rest) = part.split_at(part.find('>').unwrap_or(part.len()));
        let mut tag = tag.replace(" type=\"application/wasm\"", "");
        if let Some(from) = tag.find(" integrity=\"")
            && let Some(to) = tag[from + 12..].find('"')
        {
            tag.replace_range(from..from + 12 + to + 1, "");
        }
        out.push_str(&tag);
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_packed_module() {
        let html = "<script src=\"./boot.js?js=a.js&wasm=a_bg.wasm\"></script>\
                    <link rel=\"preload\" href=\"./a_bg.wasm\" crossorigin=\"anonymous\" \
                    integrity=\"sha384-x\" as=\"fetch\" type=\"application/wasm\"></head>";
        assert_eq!(
            renamed(html, "a_bg.wasm"),
            "<script src=\"./boot.js?js=a.js&wasm=a_bg.wasm.lzma\"></script>\
             <link rel=\"preload\" href=\"./a_bg.wasm.lzma\" crossorigin=\"anonymous\" \
             as=\"fetch\"></head>"
        );
    }

    #[test]
    fn a_packed_module_says_how_long_it_was() {
        let bytes = [7; 1000];
        let packed = packed(&bytes).expect("packed");
        assert!(packed.len() < 100, "{}", packed.len());
        assert_eq!(packed[0], 4, "literal context of four bits, no position bits");
        assert_eq!(packed[5..13], 1000_u64.to_le_bytes());
    }
}
