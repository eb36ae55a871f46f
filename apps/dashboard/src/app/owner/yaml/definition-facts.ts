import { standardWeights } from '../../task/task-words.js';
import { isCost } from '../../ui/metrics/metric-reading.js';
import { type DefinitionData, isRecord } from './merge-patch.js';

/** The parts of a definition that the form shows. */
export type DefinitionFacts = ReturnType<typeof factsOf>;

/**
 * Reads the facts of a definition and fills in the same defaults as the service. A value of an
 * unexpected type counts as missing.
 */
export function factsOf(definition: DefinitionData) {
  const output = record(definition['output']);
  const quota = record(definition['quota']);
  const loop = record(definition['loop']);
  return {
    slug: text(definition['slug']),
    name: text(definition['name']),
    description: text(definition['description']),
    language: text(definition['language'], 'en'),
    inputs: list(definition['inputs']).map((input) => ({
      name: text(record(input)['name']),
      type: text(record(input)['type'], 'text'),
    })),
    output: {
      name: text(output['name']),
      type: text(output['type']),
      labels: list(output['labels']).map((label) => text(label)),
      of: text(output['of']),
    },
    performance: text(definition['performance']),
    weights: definition['weights'] === undefined ? undefined : numbers(record(definition['weights'])),
    perturbations: Object.keys(record(definition['perturbations'])).filter((kind) => kind !== 'sample'),
    perDay: number(quota['perDay'], 3),
    total: number(quota['total'], 100),
    loopSize: number(loop['size'], 1),
    minimumExamples: number(record(definition['aggregate'])['minimumExamples'], 100),
    disclosure: definition['disclosure'] === 'rounded' ? 'rounded' : 'exact',
    isCollecting: definition['collection'] !== undefined,
  };
}

/** Returns the weights of the board: the written ones, else the published default. */
export const weightsOf = ({ weights, performance, perturbations }: DefinitionFacts): Readonly<Record<string, number>> =>
  weights ?? standardWeights(performance, perturbations);

/** Returns whether predictions can be ranked. They have no costs, so no cost may have a weight. */
export const ranksPredictions = (facts: DefinitionFacts): boolean =>
  Object.entries(weightsOf(facts)).every(([name, weight]) => weight === 0 || !isCost(name));

/**
 * Returns the weights that let predictions be ranked, or that let costs count. Undefined stands for
 * the published default.
 */
export function weightsFor(facts: DefinitionFacts, ranked: 'costs' | 'predictions'): DefinitionFacts['weights'] {
  if (ranked === 'costs') return undefined;
  const entries = Object.entries(weightsOf(facts)).filter(([name, weight]) => weight > 0 && !isCost(name));
  return entries.length > 0 ? Object.fromEntries(entries) : { [facts.performance]: 1 };
}

/** Derives a slug from a name: at most 40 lower-case letters, digits and hyphens. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');

const record = (value: unknown): DefinitionData => (isRecord(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const number = (value: unknown, standard: number): number => (typeof value === 'number' ? value : standard);
const numbers = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));

function text(value: unknown, standard = ''): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : standard;
}
