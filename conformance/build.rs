//! Puts the suite's data and the specification's clauses into the binary.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut out = String::new();
    table(&mut out, "VECTORS", &here.join("vectors"))?;
    table(&mut out, "SCENARIOS", &here.join("scenarios"))?;
    table(&mut out, "CLIENTS", &here.join("clients"))?;
    println!("cargo::rerun-if-changed=../spec");
    let clauses = serde_json::to_string(&roomwire_spec::clauses()?)?;
    writeln!(out, "const CLAUSES: &str = {clauses:?};")?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("embedded.rs"), out)?;
    Ok(())
}

fn table(out: &mut String, name: &str, root: &Path) -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if root.is_dir() {
        walk(root, &mut files)?;
    }
    files.sort();
    writeln!(out, "const {name}: &[(&str, &str)] = &[")?;
    for file in files {
        let short = file.strip_prefix(root)?;
        writeln!(out, "    ({short:?}, include_str!({file:?})),")?;
    }
    writeln!(out, "];")?;
    Ok(())
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", dir.display());
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    Ok(())
}
