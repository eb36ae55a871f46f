import { describe, expect, it } from '@jest/globals';
import { defineMetric, type ExampleMetric } from '../../libs/scoring/src/metric.js';
import {
  type DeclaredMetric,
  declaredMetrics,
  inRegistryOrder,
  metricReadings,
  metricRegistry,
  metricTerms,
  metricTopics,
  withMetricTable,
} from './metric-files.js';

const metric = (name: string, more: Partial<ExampleMetric> = {}) =>
  defineMetric({
    name,
    version: 1,
    label: name,
    description: `The ${name}.`,
    unit: 'ratio',
    direction: 'higher',
    range: [0, 1],
    outputs: ['label'],
    kind: 'mean',
    scores: 'binary',
    perExample: () => 1,
    ...more,
  });
const declared = (file: string, more: Partial<ExampleMetric> = {}): DeclaredMetric => ({
  metric: metric(more.name ?? file, more),
  constant: file.replaceAll('-', ''),
  file,
});

const loss = declared('loss', {
  description: 'Costs `a`, \\b and ${c}.',
  direction: 'lower',
  unit: 'nat',
  needs: 'probabilities',
  source: 'A | B 2001',
});
const share = declared('share', { formula: ['one', 'two'], notes: ['A note.'] });
const labelsShare = declared('labels-share', { name: 'share', outputs: ['labels'] });
const overlap = declared('overlap', { outputs: ['span', 'text'] });

describe('files that are written from the metrics', () => {
  it('order metrics by output and file, and keep those of one name together', () => {
    const metrics = [overlap, labelsShare, share, loss];

    expect(inRegistryOrder(metrics)).toEqual([loss, share, labelsShare, overlap]);
  });

  it('import every metric that a file declares', async () => {
    const registry = metricRegistry(await declaredMetrics());

    expect(registry).toContain("import { accuracy } from './accuracy.js';");
    expect(registry).toContain('export const METRICS = [\n  accuracy,\n  subsetAccuracy,\n');
    expect(registry).not.toContain('editRate');
  });

  it('have texts that can be translated, once for each name', () => {
    const terms = metricTerms([loss, share, labelsShare]);

    expect(terms).toContain('sentence: $localize`Costs \\`a\\`, \\\\b and \\${c}.`');
    expect(terms.match(/share: \{/g)).toHaveLength(1);
  });

  it('say which way values are better', () => {
    const readings = metricReadings([loss, share]);

    expect(readings).toContain("loss: { unit: 'nat', isLowerBetter: true }");
    expect(readings).toContain("share: { unit: 'ratio', isLowerBetter: false }");
    expect(readings).toContain("new Set(['loss'])");
  });

  it('have the help of each metric in its section', () => {
    const sections = metricTopics([loss, share, overlap]).split(/^ {2}(\w+): \[$/m);

    expect(sections.filter((_, index) => index % 2 === 1)).toEqual(['labels', 'probabilities', 'texts', 'numbers']);
    expect(sections[2]).toContain("term: 'share',\n      formula: [$localize`one`, $localize`two`],");
    expect(sections[2]).toContain('more: [$localize`A note.`]');
    expect(sections[4]).toContain("term: 'loss'");
    expect(sections[6]).toContain("term: 'overlap'");
  });

  it('have a table row for each name, and replace only the table', () => {
    const place = '<!-- npm run generate writes this table -->\n\n';
    const page = withMetricTable(`before\n\n${place}| old |\n| --- |\n\nafter\n`, [loss, share, labelsShare]);

    expect(page).not.toContain('old');
    expect(page).toMatch(/^before[^]*after\n$/);
    expect(page).toContain('| `loss` | label with probabilities | lower |');
    expect(page).toContain('| A \\| B 2001 |');
    expect(page).toContain('| `share` | label, labels | higher | The share. |  |');
    expect(() => withMetricTable('no place', [])).toThrow('no place for the table');
  });
});
