# Sourced by the scripts that people start, with the project as the working directory: brings the dependencies, and
# with them the Node that everything else runs on. Needs nothing but some Node and npm.

bring_dependencies() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "Node.js with npm is missing: install Node 20 or later (https://nodejs.org), and start again." >&2
    return 69
  fi
  link_node
  node scripts/dependencies.mjs && return

  local home="${ASSAY_HOME:-.assay}" log
  mkdir -p -m 711 "$home"
  mkdir -p "$home/logs"
  log="$home/logs/npm.log"
  printf 'Installing the dependencies of package-lock.json (npm ci) … '
  local start=$SECONDS
  # no install script of any package runs, whatever this npm's own habit is
  if ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >"$log" 2>&1 </dev/null; then
    printf 'failed after %s s. The end of %s:\n' "$((SECONDS - start))" "$log"
    tail -n 20 "$log"
    return 69
  fi
  printf '%s s\n' "$((SECONDS - start))"
  link_node
  if [[ ! -x node_modules/.bin/node ]]; then
    echo "There is no build of Node 24 for this machine among the dependencies (only Linux on x64 and arm64)." >&2
    return 69
  fi
}

# npm 10 leaves this link out: it throws away that of the package for the other processor, which has the same name.
link_node() {
  local binary
  for binary in node_modules/node-linux-*/bin/node; do
    if [[ -x "$binary" && ! -e node_modules/.bin/node ]]; then
      ln -sfn "../${binary#node_modules/}" node_modules/.bin/node
    fi
  done
}

# Runs one of the project's TypeScript files in place of this shell.
run_script() {
  exec node_modules/.bin/node --import ./scripts/typescript.mjs "$@"
}
