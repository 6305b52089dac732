#!/bin/sh
# Proves that the codec needs no std: builds it as a C library with a panic handler of its own, links that into a C program with no
# library but C's, runs it, and looks through its symbols. Where the target is installed, it also runs on 32 bits (WebAssembly in
# Node), where lengths near 2^32 would wrap.
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-../../target}/no_std
mkdir -p "$target"
target=$(cd "$target" && pwd)

cargo build --quiet --locked --lib --release --target-dir "$target"
${CC:-cc} -Wall -Werror -O1 -Wl,--gc-sections -o "$target/main" main.c "$target/release/libroomwire_no_std.a"
"$target/main"

symbols=$(nm --demangle "$target/main")
if echo "$symbols" | grep -E ' (std|alloc)::|__rust_alloc'; then
    echo "FAILED: the symbols above are of std or alloc" >&2
    exit 1
fi
# No call of the codec reaches the panic handler, so the linker has left it out.
if echo "$symbols" | grep -i panic; then
    echo "FAILED: the codec can panic: the symbols above are in the program" >&2
    exit 1
fi

wasm=wasm32-unknown-unknown
if command -v node >/dev/null && [ -d "$(rustc --print sysroot)/lib/rustlib/$wasm" ]; then
    cargo build --quiet --locked --lib --release --target-dir "$target" --target $wasm
    node wasm.mjs "$target/$wasm/release/roomwire_no_std.wasm"
else
    echo "skipped: 32 bits ($wasm or node is not installed)"
fi
echo "no_std: proven"
