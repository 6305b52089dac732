//! temp
fn main() {
    let r = roomwire_spec::registry::Registry::parse(&std::fs::read_to_string("spec/registry.toml").unwrap()).unwrap();
    std::fs::write("codec/src/registry.rs", roomwire_spec::render::codec(&r, &[])).unwrap();
}
