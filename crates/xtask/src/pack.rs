//! Packs the release page's module. A static host sends a `.wasm` gzipped at best. LZMA makes it a
//! quarter smaller, a third once opcodes and operands lie apart, each kind for itself;
//! `web/unpack.js` undoes both in a fifth of a second.

use crate::shell::{Outcome, command, root};
use lzma_rust2::{LzmaOptions, LzmaWriter};
use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
};

/// What a packed module's name ends in.
const ENDING: &str = ".packed";

/// Packs the module in a folder that trunk has filled, and makes its page name the packed one.
pub(crate) fn pack(folder: &Path, html: &str) -> Outcome<String> {
    let module = module(folder)?;
    let bytes = fs::read(&module).map_err(|error| error.to_string())?;
    let name = module.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let content = packed(&split(&bytes)?)?;
    // Trunk's name says nothing of how it was optimised and packed; caches rely on names.
    let mut hash = DefaultHasher::new();
    content.hash(&mut hash);
    let packed_name = format!("{name}-{:016x}{ENDING}", hash.finish());
    let target = folder.join(&packed_name);
    fs::write(&target, content).map_err(|error| error.to_string())?;
    check(&target, &module)?;
    fs::remove_file(&module).map_err(|error| error.to_string())?;
    Ok(renamed(html, name, &packed_name))
}

/// Runs the page's own unpacker in Node: what comes out must be the module.
fn check(packed: &Path, module: &Path) -> Outcome {
    let script = "Promise.all([import(process.argv[1]),import('fs')]).then(\
                  ([{unpacked},{readFileSync:r}])=>{const [,,a,b]=process.argv;\
                  process.exit(Buffer.compare(unpacked(new Uint8Array(r(a))),r(b))===0?0:1)})";
    let done = command("node")
        .args(["-e", script])
        .arg(root().join("web/unpack.js"))
        .args([packed, module])
        .status()
        .map_err(|error| format!("node did not start: {error}"))?;
    if done.success() {
        Ok(())
    } else {
        Err("the packed module does not come out as it was (web/unpack.js)".to_owned())
    }
}

/// The kinds into which a module is taken apart, in their order: what comes before the code,
/// operands by what they are, opcodes (with alignments, which follow from them), what comes after.
const KINDS: usize = 17;
const BEFORE: usize = 0;
const GET: usize = 1;
const SET: usize = 2;
const OP: usize = 3;
const HEAD: usize = 4;
const LOAD: usize = 5;
const STORE: usize = 6;
const INT: usize = 7;
const LONG: usize = 8;
const CALL: usize = 9;
const BREAK: usize = 10;
const BREAK_IF: usize = 11;
const TABLE: usize = 12;
const TYPE: usize = 13;
const OTHER: usize = 14;
const FLOAT: usize = 15;
const AFTER: usize = 16;

/// A module being taken apart.
struct Split<'a> {
    bytes: &'a [u8],
    at: usize,
    kinds: [Vec<u8>; KINDS],
}

impl Split<'_> {
    fn copy(&mut self, kind: usize, count: usize) -> Outcome {
        let end = self.at + count;
        let part = self.bytes.get(self.at..end).ok_or("the module ends early")?;
        self.kinds[kind].extend_from_slice(part);
        self.at = end;
        Ok(())
    }

    /// A number of LEB128.
    fn number(&mut self, kind: usize) -> Outcome<usize> {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or("the module ends early")?;
            self.copy(kind, 1)?;
            value |= usize::from(byte & 127).checked_shl(shift).unwrap_or(0);
            if byte < 128 {
                break;
            }
        }
        Ok(value)
    }

    /// A function without its size: that follows from where its blocks end.
    fn function(&mut self) -> Outcome {
        let kept = self.kinds[OTHER].len();
        let size = self.number(OTHER)?;
        let length = self.kinds[OTHER].len() - kept;
        self.kinds[OTHER].truncate(kept);
        let least = (1..).find(|n| size >> (7 * n) == 0).unwrap_or(1);
        if length != least {
            return Err("a function's size is written longer than it need be".into());
        }
        let end = self.at + size;
        for _ in 0..self.number(HEAD)? {
            self.number(HEAD)?;
            self.copy(HEAD, 1)?;
        }
        let mut depth = 1;
        while depth > 0 {
            match self.instruction()? {
                0x02..=0x04 => depth += 1,
                0x0b => depth -= 1,
                _ => {}
            }
        }
        if self.at == end { Ok(()) } else { Err("a function's blocks end elsewhere".into()) }
    }

    /// Gives its opcode.
    fn instruction(&mut self) -> Outcome<u8> {
        let op = *self.bytes.get(self.at).ok_or("the module ends early")?;
        self.copy(OP, 1)?;
        let operands: &[usize] = match op {
            0x20 => &[GET],
            0x21 | 0x22 => &[SET],
            0x41 => &[INT],
            0x42 => &[LONG],
            0x28..=0x35 => &[OP, LOAD],
            0x36..=0x3e => &[OP, STORE],
            0x10 => &[CALL],
            0x0c => &[BREAK],
            0x0d => &[BREAK_IF],
            0x02..=0x04 => &[TYPE],
            0x11 => &[TYPE, OTHER],
            0x23..=0x26 | 0x3f | 0x40 | 0xd0 | 0xd2 => &[OTHER],
            0x43 | 0x44 => {
                self.copy(FLOAT, if op == 0x43 { 4 } else { 8 })?;
                &[]
            }
            0x0e => {
                for _ in 0..=self.number(TABLE)? {
                    self.number(TABLE)?;
                }
                &[]
            }
            0x1c => {
                for _ in 0..self.number(OTHER)? {
                    self.number(OTHER)?;
                }
                &[]
            }
            0xfc => match self.number(OP)? {
                0..=7 => &[],
                8 | 10 | 12 | 14 => &[OTHER, OTHER],
                9 | 11 | 13 | 15..=17 => &[OTHER],
                more => return Err(format!("the opcode fc {more:x} is not known here")),
            },
            0x00 | 0x01 | 0x05 | 0x0b | 0x0f | 0x1a | 0x1b | 0xd1 | 0x45..=0xc4 => &[],
            op => return Err(format!("the opcode {op:x} is not known here")),
        };
        operands.iter().try_for_each(|kind| self.number(*kind).map(drop))?;
        Ok(op)
    }
}

/// Takes a module apart: its length, those of the kinds, then each kind.
fn split(bytes: &[u8]) -> Outcome<Vec<u8>> {
    const CODE: u8 = 10;
    let mut it = Split { bytes, at: 0, kinds: Default::default() };
    it.copy(BEFORE, 8)?;
    loop {
        let section = *bytes.get(it.at).ok_or("the module has no code")?;
        it.copy(BEFORE, 1)?;
        let size = it.number(BEFORE)?;
        if section == CODE {
            break;
        }
        it.copy(BEFORE, size)?;
    }
    for _ in 0..it.number(HEAD)? {
        it.function()?;
    }
    it.copy(AFTER, bytes.len() - it.at)?;
    let lengths = [bytes.len()].into_iter().chain(it.kinds.iter().map(Vec::len));
    let lengths = lengths.flat_map(|length| (length as u32).to_le_bytes());
    Ok(lengths.chain(it.kinds.iter().flatten().copied()).collect())
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
    (options.lc, options.lp, options.pb) = (3, 0, 0);
    options.nice_len = 273;
    let told = |error: std::io::Error| format!("the module could not be packed: {error}");
    let mut writer =
        LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64)).map_err(told)?;
    writer.write_all(bytes).map_err(|error| error.to_string())?;
    writer.finish().map_err(told)
}

/// The page with the packed name of the module, which has no check sum of trunk's.
fn renamed(html: &str, name: &str, packed: &str) -> String {
    let mut out = String::new();
    for (i, part) in html.split(name).enumerate() {
        if i == 0 {
            out.push_str(part);
            continue;
        }
        out.push_str(packed);
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
            renamed(html, "a_bg.wasm", "a_bg.wasm-0.packed"),
            "<script src=\"./boot.js?js=a.js&wasm=a_bg.wasm-0.packed\"></script>\
             <link rel=\"preload\" href=\"./a_bg.wasm-0.packed\" crossorigin=\"anonymous\" \
             as=\"fetch\"></head>"
        );
    }

    #[test]
    fn a_module_is_taken_apart() {
        // One function of one local: local.get 0, i32.load 2 8, drop, end; then an empty section.
        let code = [1, 11, 1, 1, 0x7f, 0x20, 0, 0x28, 2, 8, 0x1a, 0x0b];
        let code = [&[1, 10][..], &code[2..]].concat();
        let module =
            [b"\0asm\x01\0\0\0".as_slice(), &[10, code.len() as u8], &code, &[0, 0]].concat();
        let apart = split(&module).expect("a module");
        let mut kinds = [0; KINDS].map(|_: u8| Vec::new());
        let mut at = 4 + 4 * KINDS;
        for (i, kind) in kinds.iter_mut().enumerate() {
            let length = u32::from_le_bytes(apart[4 + 4 * i..8 + 4 * i].try_into().expect("four"));
            kind.extend_from_slice(&apart[at..at + length as usize]);
            at += length as usize;
        }
        assert_eq!(kinds[OP], [0x20, 0x28, 2, 0x1a, 0x0b]);
        assert_eq!((&kinds[GET][..], &kinds[LOAD][..]), (&[0][..], &[8][..]));
        assert_eq!(kinds[HEAD], [1, 1, 1, 0x7f]);
        assert_eq!((kinds[BEFORE].len(), &kinds[AFTER][..]), (10, &[0, 0][..]));
        assert_eq!(apart.len(), module.len() - 1 + 4 + 4 * KINDS);
        assert!(split(&module[..14]).is_err());
    }

    #[test]
    fn a_packed_module_says_how_long_it_was() {
        let bytes = [7; 1000];
        let packed = packed(&bytes).expect("packed");
        assert!(packed.len() < 100, "{}", packed.len());
        assert_eq!(packed[0], 3, "literal context of three bits, no position bits");
        assert_eq!(packed[5..13], 1000_u64.to_le_bytes());
    }
}
