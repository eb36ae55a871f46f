import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { build } from './build.js';
import { project, runNode } from './command.js';
import { programOf } from './services/app-program.js';
import {
  type DeclaredMetric,
  declaredMetrics,
  metricReadings,
  metricRegistry,
  metricTerms,
  metricTopics,
  withMetricTable,
} from './services/metric-files.js';

/** A file or folder in the repository that is generated from the code. */
interface Generated {
  readonly path: string;
  /** Returns the contents for the current code, by path below `path`: '' for a single file. */
  generate(): Promise<ReadonlyMap<string, string>>;
}

export const openApiDocument: Generated = {
  path: 'apps/api/openapi.json',
  generate: () => written((path) => [programOf('api', 'openapi'), path]),
};

export const cliClient: Generated = {
  path: 'apps/cli/src/client.gen.ts',
  generate: () =>
    written((path) => ['node_modules/openapi-typescript/bin/cli.js', openApiDocument.path, '--output', path]),
};

export const dashboardClient: Generated = {
  path: 'apps/dashboard/src/client',
  generate: () =>
    written((path) => [
      'node_modules/@hey-api/openapi-ts/bin/run.js',
      '--file=apps/dashboard/openapi-ts.config.mjs',
      `--output=${path}`,
      '--silent',
    ]),
};

/**
 * Every text of the dashboard by its ID, as the basis of translations. Extracted from the built
 * pages, which contain all texts.
 */
export const dashboardTexts: Generated = {
  path: 'apps/dashboard/src/locale/messages.json',
  async generate() {
    await build(['dashboard']);
    const extracted = await written((path) => [
      'node_modules/@angular/localize/tools/bundles/src/extract/cli.js',
      '--source=dist/dashboard/browser/*.js',
      '--format=json',
      `--outputPath=${path}`,
    ]);
    const { locale, translations } = JSON.parse(extracted.get('')!) as Record<string, Record<string, string>>;
    // sorted by ID: in the order of extraction, moving a file would move its texts
    const texts = Object.entries(translations ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map([['', `${JSON.stringify({ locale, translations: Object.fromEntries(texts) }, null, 2)}\n`]]);
  },
};

const figuresPage = 'docs/reference/figures.md';
const statesPage = 'docs/explanation/states.md';

/** Generated from the code alone. The programs and pages are built from some of these. */
export const sources: readonly Generated[] = [
  ofMetrics('libs/scoring/src/metrics/registry.gen.ts', metricRegistry),
  ofMetrics('apps/dashboard/src/app/ui/metric-terms.gen.ts', metricTerms),
  ofMetrics('apps/dashboard/src/app/ui/metric-readings.gen.ts', metricReadings),
  ofMetrics('apps/dashboard/src/app/help/metric-topics.gen.ts', metricTopics),
  ofMetrics(figuresPage, (metrics) =>
    formatted(figuresPage, withMetricTable(readFileSync(join(project, figuresPage), 'utf8'), metrics)),
  ),
  {
    path: statesPage,
    async generate() {
      // imported here: its libs cannot be loaded while the registry names a metric that was removed
      const { statesPage: page } = await import('./services/states-page.js');
      return new Map([['', await formatted(statesPage, page())]]);
    },
  },
];

/** Returns why the version in the repository is out of date, or undefined. */
export async function staleness(generated: Generated): Promise<string | undefined> {
  const { path } = generated;
  const [there, made] = [read(join(project, path)), await generated.generate()];
  const isSame = there.size === made.size && [...made].every(([name, content]) => there.get(name) === content);
  return isSame ? undefined : `${path} is not what the code gives now. Write it again with: npm run generate`;
}

/** A file that is written from the metrics of libs/scoring. */
function ofMetrics(path: string, write: (metrics: readonly DeclaredMetric[]) => string | Promise<string>): Generated {
  return { path, generate: async () => new Map([['', await write(await declaredMetrics())]]) };
}

/** Formats the text of a file as `npm run format` does. */
async function formatted(path: string, text: string): Promise<string> {
  const filepath = join(project, path);
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}

/** Runs a Node program, and returns the files that it writes to the given path. */
async function written(command: (path: string) => readonly string[]): Promise<ReadonlyMap<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-generated-'));
  try {
    const path = join(directory, 'output');
    const { code, output } = await runNode(command(path));
    if (code !== 0 || !existsSync(path)) throw new Error(output.trim() || `${command(path).join(' ')} wrote nothing.`);
    return read(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function read(path: string): ReadonlyMap<string, string> {
  if (!existsSync(path)) return new Map();
  if (!statSync(path).isDirectory()) return new Map([['', readFileSync(path, 'utf8')]]);
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [relative(path, file), readFileSync(file, 'utf8')];
    }),
  );
}

async function write(generated: Generated): Promise<void> {
  const { path } = generated;
  const files = await generated.generate();
  rmSync(join(project, path), { recursive: true, force: true });
  for (const [name, content] of files) {
    mkdirSync(dirname(join(project, path, name)), { recursive: true });
    writeFileSync(join(project, path, name), content);
  }
  console.log(`Wrote ${path}.`);
}

if (import.meta.main) {
  for (const generated of sources) await write(generated);
  await build(['api']);
  // in this order: the clients are generated from the document
  for (const generated of [openApiDocument, cliClient, dashboardClient, dashboardTexts]) await write(generated);
}
