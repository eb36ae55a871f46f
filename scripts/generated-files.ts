import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { build } from './build.js';
import { project, projectText, runNode } from './command.js';
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

/** A file in the repository that is generated from the code. */
interface Generated {
  readonly path: string;
  /** Returns the content for the current code. */
  readonly generate: () => Promise<string>;
}

export const openApiDocument: Generated = {
  path: 'apps/api/openapi.json',
  generate: () => written((path) => [programOf('api', 'openapi'), path]),
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
      '--source=dist/dashboard/browser/**/*.js',
      '--format=json',
      `--outputPath=${path}`,
    ]);
    const { locale, translations } = JSON.parse(extracted) as Record<string, Record<string, string>>;
    // sorted by ID: in the order of extraction, moving a file would move its texts
    const texts = Object.entries(translations ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    return `${JSON.stringify({ locale, translations: Object.fromEntries(texts) }, null, 2)}\n`;
  },
};

const figuresPage = 'docs/reference/figures.md';
const statesPage = 'docs/explanation/states.md';

/** Generated from the code alone. The programs and pages are built from some of these. */
export const sources: readonly Generated[] = [
  ofMetrics('libs/scoring/src/metrics/registry.gen.ts', metricRegistry),
  ofMetrics('apps/dashboard/src/app/ui/metrics/metric-terms.gen.ts', metricTerms),
  ofMetrics('apps/dashboard/src/app/ui/metrics/metric-readings.gen.ts', metricReadings),
  ofMetrics('apps/dashboard/src/app/help/metric-topics.gen.ts', metricTopics),
  ofMetrics(figuresPage, (metrics) => formatted(figuresPage, withMetricTable(projectText(figuresPage), metrics))),
  {
    path: statesPage,
    async generate() {
      // imported here: its libs cannot be loaded while the registry names a metric that was removed
      const { statesPage: page } = await import('./services/states-page.js');
      return formatted(statesPage, page());
    },
  },
];

/** Returns why the version in the repository is out of date, or nothing. */
export async function staleness({ path, generate }: Generated): Promise<string[]> {
  const content = await generate();
  if (existsSync(join(project, path)) && projectText(path) === content) return [];
  return [`${path} is out of date. Update it with: npm run generate`];
}

/** A file that is written from the metrics of libs/scoring. */
function ofMetrics(path: string, write: (metrics: readonly DeclaredMetric[]) => string | Promise<string>): Generated {
  return { path, generate: async () => write(await declaredMetrics()) };
}

/** Formats the text of a file as `npm run format` does. */
async function formatted(path: string, text: string): Promise<string> {
  const filepath = join(project, path);
  return format(text, { ...(await resolveConfig(filepath)), filepath });
}

/** Runs a Node program, and returns what it writes to the given path. */
async function written(command: (path: string) => readonly string[]): Promise<string> {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'assay-generated-'));
  const path = join(directory.path, 'output');
  const { code, output } = await runNode(command(path));
  if (code !== 0 || !existsSync(path)) throw new Error(output.trim() || `${command(path).join(' ')} wrote nothing.`);
  return readFileSync(path, 'utf8');
}

async function write({ path, generate }: Generated): Promise<void> {
  writeFileSync(join(project, path), await generate());
  console.log(`Wrote ${path}.`);
}

if (import.meta.main) {
  for (const generated of sources) await write(generated);
  await build(['services']);
  // in this order: the dashboard's API client is generated from the document
  for (const generated of [openApiDocument, dashboardTexts]) await write(generated);
}
