import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project, projectText, runNode, successful } from './command.js';
import { generateClient } from './generate-client.js';

/** The part of dependency-cruiser's JSON with the imports between folders. */
interface Cruise {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
}

/** The imports of each module: `apps/api` → its libs. */
type Packages = ReadonlyMap<string, ReadonlySet<string>>;

/** The layers from top to bottom, as in .dependency-cruiser.cjs. */
const LAYERS = {
  apps: ['apps/api', 'apps/evaluator', 'apps/worker', 'apps/cli', 'apps/dashboard'],
  useCases: ['libs/application'],
  contexts: [
    'libs/notifications',
    'libs/collection',
    'libs/serving',
    'libs/leaderboard',
    'libs/evaluation',
    'libs/submissions',
    'libs/tasks',
    'libs/accounts',
    'libs/identity',
  ],
  adapters: ['libs/persistence', 'libs/jobs', 'libs/storage', 'libs/sandbox', 'libs/observability'],
  pure: ['libs/contracts', 'libs/scoring', 'libs/kernel', 'libs/api-client'],
} as const;

const PACKAGE = '^(apps|libs)/[^/]+';
const PAGE = 'docs/explanation/architecture.md';
const place = /(<!-- npm run picture draws this -->\n\n)```mermaid\n[^]*?\n```/;

async function importedPackages(): Promise<Packages> {
  const cruise = runNode([
    'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    ...['--config', '.dependency-cruiser.cjs', '--output-type', 'json', '--collapse', PACKAGE],
    ...['--include-only', '^(apps|libs)/', '--exclude', '[.](spec|contract)[.]ts$', 'apps', 'libs'],
  ]);
  const { stdout } = await successful(cruise);
  const { modules } = JSON.parse(stdout) as Cruise;
  return new Map(
    modules.map(({ source, dependencies }) => [source, new Set(dependencies.map(({ resolved }) => resolved))]),
  );
}

/**
 * True if `from` also imports `to` through at least one other module. A direct arrow would then add
 * nothing.
 */
function isImplied(packages: Packages, from: string, to: string): boolean {
  const reached = new Set(packages.get(from));
  reached.delete(to);
  // a set also yields what is added to it on the way
  for (const each of reached) for (const next of packages.get(each) ?? []) reached.add(next);
  return reached.has(to);
}

function mermaid(packages: Packages): string {
  const name = (path: string): string => path.slice(path.indexOf('/') + 1);
  const tiers = Object.entries(LAYERS).flatMap(([tier, members]) => [
    `  subgraph ${tier}`,
    ...members.map((each) => `    ${name(each)}`),
    '  end',
  ]);
  const arrows = [...packages].flatMap(([from, imported]) =>
    [...imported].filter((to) => !isImplied(packages, from, to)).map((to) => `  ${name(from)} --> ${name(to)}`),
  );
  return ['flowchart TB', ...tiers, ...arrows.sort()].join('\n');
}

await generateClient();
const text = projectText(PAGE);
if (!place.test(text)) throw new Error('The architecture page has no place for the diagram.');
const picture = mermaid(await importedPackages());
writeFileSync(
  join(project, PAGE),
  text.replace(place, (_, before: string) => `${before}\`\`\`mermaid\n${picture}\n\`\`\``),
);
console.log(picture);
