//! The service worker of the release page (`web/offline.js`), told the exact list of its files.

use crate::{
    shell::{Outcome, command, root},
    size,
};
use std::{path::Path, process::Stdio};

/// Writes `sw.js` into a folder that is complete, and says in its page which build it is.
pub(crate) fn add(folder: &Path, html: &str) -> Outcome<String> {
    let mut files = Vec::new();
    size::collect(folder, &mut files)?;
    let mut names: Vec<String> = files
        .iter()
        .filter_map(|file| file.strip_prefix(folder).ok())
        .map(|name| name.to_string_lossy().replace('\\', "/"))
        .filter(|name| name != "index.html" && name != "sw.js")
        .collect();
    names.sort();
    // Node can hash, and the set-up has seen to it.
    let script = "const {readFileSync:r}=require('fs'),h=b=>require('crypto').createHash('sha256').update(b);\
                  const [,template,html,...names]=process.argv;\
                  const list=JSON.stringify(names.map(n=>[n,'sha256-'+h(r(n)).digest('base64')]));\
                  const code=r(template,'utf8'),build=h(list+code+html).digest('hex').slice(0,16);\
                  require('fs').writeFileSync('sw.js',`const BUILD = \"${build}\";\\nconst FILES = ${list};\\n${code}`);\
                  console.log(build)";
    let output = command("node")
        .current_dir(folder)
        .args(["-e", script])
        .arg(root().join("web/offline.js"))
        .arg(html)
        .args(&names)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("node did not start: {error}"))?;
    let build = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() || build.len() != 16 || !folder.join("sw.js").is_file() {
        return Err("the service worker could not be written".to_owned());
    }
    named(html, &build)
}

/// The page whose loader is told the build.
fn named(html: &str, build: &str) -> Outcome<String> {
    let from = html.find("boot.js?").ok_or("the page does not load boot.js")?;
    let to = from + html[from..].find('"').ok_or("the address of boot.js does not end")?;
    Ok(format!("{}&build={build}{}", &html[..to], &html[to..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_is_told_the_build() {
        let html = "<script src=\"./boot.js?js=a.js&wasm=b\"></script><p class=\"c\">";
        assert_eq!(
            named(html, "0123"),
            Ok("<script src=\"./boot.js?js=a.js&wasm=b&build=0123\"></script><p class=\"c\">"
                .into())
        );
        assert!(named("<p>", "0123").is_err());
    }
}
