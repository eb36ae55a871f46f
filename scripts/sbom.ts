import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { project, projectText, runCommand } from './command.js';
import { lockedPackages } from './supply-chain.js';

/** The required parts of a CycloneDX 1.5 bill of materials. */
const Bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.5'),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f-]{36}$/),
  version: z.int(),
  metadata: z.looseObject({
    component: z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() }),
  }),
  components: z.array(
    z.looseObject({
      'bom-ref': z.string(),
      type: z.literal('library'),
      name: z.string(),
      version: z.string(),
      purl: z.string().startsWith('pkg:npm/'),
      hashes: z.array(z.looseObject({ alg: z.string(), content: z.string().regex(/^[0-9a-f]+$/) })).min(1),
    }),
  ),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});
export type Bill = z.infer<typeof Bill>;

/**
 * Returns the bill of materials of package-lock.json. Uses only the lock file, and fetches nothing.
 *
 * @throws Error if the bill is incomplete
 */
export async function billOfMaterials(): Promise<Bill> {
  const parameters = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--offline'];
  const { code, output, stdout } = await runCommand('npm', parameters);
  if (code !== 0) throw new Error(`npm sbom ended with code ${code}:\n${output.trim()}`);
  const bill = Bill.parse(JSON.parse(stdout));
  // npm names the component after the folder
  bill.metadata.component.name = 'assay';
  const problems = billProblems(bill, JSON.parse(projectText('package-lock.json')));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return bill;
}

/** Returns what is missing or different in a bill, compared with a lock file. */
export function billProblems(bill: Bill, lock: unknown): string[] {
  const hashes = new Map(bill.components.map(({ purl, hashes: of }) => [decodeURIComponent(purl), of]));
  const references = new Set([bill.metadata.component, ...bill.components].map((each) => each['bom-ref']));
  const missing = lockedPackages(lock).flatMap(([, name, { version = '', integrity = '' }]) => {
    const known = hashes.get(`pkg:npm/${name}@${version}`);
    if (!known) return [`${name} ${version} is not in it.`];
    const digest = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
    return known.some(({ content }) => content === digest) ? [] : [`${name} ${version} has another hash in it.`];
  });
  const dangling = bill.dependencies
    .flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
    .filter((ref) => !references.has(ref));
  return [...new Set([...missing, ...dangling.map((ref) => `it refers to ${ref}, which is not in it.`)])];
}

if (import.meta.main) {
  const path = join(project, 'dist/assay.cdx.json');
  const bill = await billOfMaterials();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(bill, undefined, 2)}\n`);
  console.log(`Wrote dist/assay.cdx.json: ${bill.components.length} packages.`);
}
