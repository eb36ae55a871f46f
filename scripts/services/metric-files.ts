import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEASURES } from '../../libs/scoring/src/measures.js';
import { OUTPUT_TYPES, type Metric } from '../../libs/scoring/src/metric.js';
import { project } from '../command.js';

/** A metric with the constant that declares it. */
export interface DeclaredMetric {
  readonly metric: Metric;
  readonly constant: string;
  /** The file's name without its extension. */
  readonly file: string;
}

const FOLDER = 'libs/scoring/src/metrics';
const DECLARATION = /^export const (\w+) = defineMetric\(/gm;
const HEADER = '// npm run generate writes this file from the metrics in libs/scoring/src/metrics';

/**
 * Returns the metrics that the files of libs/scoring declare, in the order of the registry: by
 * first output, then by file. Metrics of one name follow the first of them.
 */
export async function declaredMetrics(): Promise<readonly DeclaredMetric[]> {
  const files = readdirSync(join(project, FOLDER)).filter((name) => /^[a-z0-9-]+\.ts$/.test(name));
  const found = await Promise.all(files.map((name) => metricsOf(name.replace('.ts', ''))));
  return inRegistryOrder(found.flat());
}

async function metricsOf(file: string): Promise<readonly DeclaredMetric[]> {
  const text = readFileSync(join(project, FOLDER, `${file}.ts`), 'utf8');
  const constants = [...text.matchAll(DECLARATION)].map(([, constant]) => constant!);
  if (constants.length === 0) return [];

  // the file itself and not the lib, whose registry may be out of date
  const module = (await import(`../../${FOLDER}/${file}.js`)) as Readonly<Record<string, Metric>>;
  return constants.map((constant) => ({ metric: module[constant]!, constant, file }));
}

export function inRegistryOrder(metrics: readonly DeclaredMetric[]): readonly DeclaredMetric[] {
  const placeOf = ({ metric }: DeclaredMetric): number => OUTPUT_TYPES.indexOf(metric.outputs[0]!);
  const sorted = metrics.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.file < b.file ? -1 : 1));
  return [...Map.groupBy(sorted, ({ metric }) => metric.name).values()].flat();
}

/** Returns the registry of libs/scoring. */
export function metricRegistry(metrics: readonly DeclaredMetric[]): string {
  const imports = metrics.map(({ constant, file }) => `import { ${constant} } from './${file}.js';`);
  const constants = metrics.map(({ constant }) => `  ${constant},`);
  return lines(HEADER, ...imports.toSorted(), '', 'export const METRICS = [', ...constants, '] as const;');
}

/** Returns the names and descriptions of the metrics for the dashboard, as translatable texts. */
export function metricTerms(metrics: readonly DeclaredMetric[]): string {
  const terms = firstOfEachName(metrics).flatMap(({ name, label, description }) => [
    `  ${name}: {`,
    `    name: ${localized(label)},`,
    `    sentence: ${localized(description)},`,
    '  },',
  ]);
  return lines(
    HEADER,
    "import type { Explanation } from '../terms/explanation.js';",
    '',
    'export const PERFORMANCE_TERMS = {',
    ...terms,
    '} as const satisfies Readonly<Record<string, Explanation>>;',
  );
}

/** Returns the units and directions of metrics and costs for the dashboard. */
export function metricReadings(metrics: readonly DeclaredMetric[]): string {
  const named = firstOfEachName(metrics);
  const readings = [...named, ...MEASURES].map(
    ({ name, unit, direction }) => `  ${name}: { unit: '${unit}', isLowerBetter: ${direction === 'lower'} },`,
  );
  const needy = named.filter(({ needs }) => needs === 'probabilities').map(({ name }) => `'${name}'`);
  return lines(
    HEADER,
    'export const METRIC_READINGS = {',
    ...readings,
    '} as const;',
    '',
    `export const PROBABILITY_METRICS: ReadonlySet<string> = new Set([${needy.join(', ')}]);`,
  );
}

/** Returns the help on each metric for the dashboard, by section of the help page. */
export function metricTopics(metrics: readonly DeclaredMetric[]): string {
  const named = firstOfEachName(metrics);
  const groups = ['labels', 'probabilities', 'texts', 'numbers'] as const;
  return lines(
    HEADER,
    "import type { Topic } from './topic.js';",
    '',
    'export const PERFORMANCE_TOPICS = {',
    ...groups.flatMap((group) => [
      `  ${group}: [`,
      ...named.filter((metric) => helpSection(metric) === group).flatMap(topic),
      '  ],',
    ]),
    '} as const satisfies Readonly<Record<string, readonly Topic[]>>;',
  );
}

function topic({ name, formula, notes, source }: Metric): string[] {
  const list = (texts: readonly string[]): string => `[${texts.map(localized).join(', ')}]`;
  return [
    '    {',
    `      term: '${name}',`,
    ...(formula ? [`      formula: ${list(formula)},`] : []),
    ...(notes ? [`      more: ${list(notes)},`] : []),
    ...(source ? [`      source: ${localized(source)},`] : []),
    '    },',
  ];
}

function helpSection({ outputs, needs }: Metric): 'labels' | 'probabilities' | 'texts' | 'numbers' {
  if (needs === 'probabilities') return 'probabilities';
  if (outputs.includes('number')) return 'numbers';
  return outputs.includes('label') || outputs.includes('labels') ? 'labels' : 'texts';
}

const TABLE = /(<!-- npm run generate writes this table -->\n\n)(?:\|.*\n)*/;

/** Returns the page with its table of metrics written again. */
export function withMetricTable(page: string, metrics: readonly DeclaredMetric[]): string {
  if (!TABLE.test(page)) throw new Error('The page has no place for the table of metrics.');
  const rows = firstOfEachName(metrics).map(({ name, needs, direction, description, source = '' }) => {
    const outputs = metrics.filter(({ metric }) => metric.name === name).flatMap(({ metric }) => metric.outputs);
    const output = `${outputs.join(', ')}${needs ? ` with ${needs}` : ''}`;
    return [`\`${name}\``, output, direction, description, source];
  });
  const table = [['metric', 'output', 'better', 'meaning', 'source'], ['-', '-', '-', '-', '-'], ...rows];
  const text = table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
  return page.replace(TABLE, (_, before: string) => before + text);
}

/** Returns one metric for each name: the first, whose texts stand for the name. */
function firstOfEachName(metrics: readonly DeclaredMetric[]): readonly Metric[] {
  return [...Map.groupBy(metrics, ({ metric }) => metric.name).values()].map(([first]) => first!.metric);
}

/** Returns a text as a template that Angular extracts for translation. */
const localized = (text: string): string => `$localize\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``;

const lines = (...parts: readonly string[]): string => `${parts.join('\n')}\n`;
