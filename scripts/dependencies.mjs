// Exits with 0 if node_modules matches package-lock.json, and with 1 if it is missing or stale.
// Runs on any Node, before anything is installed, because the project's own Node comes with the
// dependencies.
import { existsSync, readFileSync } from 'node:fs';

const installed = 'node_modules/.package-lock.json';
const packages = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;

/** True if a package matches. Optional packages of other platforms are only in the lock file. */
function matches(there, wanted) {
  return there ? there.version === wanted.version : Boolean(wanted.optional || wanted.devOptional || wanted.peer);
}

function isFresh() {
  if (!existsSync(installed) || !existsSync('node_modules/.bin/node')) return false;
  const found = packages(installed);
  return Object.entries(packages('package-lock.json')).every(
    ([path, wanted]) => path === '' || matches(found[path], wanted),
  );
}

process.exitCode = isFresh() ? 0 : 1;
