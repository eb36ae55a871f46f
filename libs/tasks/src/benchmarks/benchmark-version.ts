import type { TaskDefinition } from '@assay/contracts/tasks';
import { newId } from '@assay/kernel';
import { isEnglish, NORMALISATIONS } from '@assay/scoring/language';
import { defineEntity, p } from '@mikro-orm/core';
import { Task } from '../task.js';

/** The parts of a definition that determine the board. Others can change without a new version. */
export const BOARD_PARTS = [
  'performance',
  'metrics',
  'weights',
  'exchange',
  'exchangeRates',
  'referenceCosts',
  'baseline',
  'utilities',
  'aggregate',
  'limits',
  'slices',
  'cluster',
  'perturbations',
  'language',
  'normalise',
  'strictProbabilities',
] as const;

type TextPart = 'language' | 'normalise';

/**
 * The parts as a benchmark version stores them. Versions from before exchange rates were fixed have
 * no `exchange`: their boards use AMRS (schema 1). `language` is absent where English rules apply.
 */
export type BoardDefinition = Omit<Pick<TaskDefinition, (typeof BOARD_PARTS)[number]>, 'exchange' | TextPart> &
  Partial<Pick<TaskDefinition, 'exchange' | TextPart>>;

/**
 * Returns how the task compares texts, without what is the default: nothing for English, and for
 * outputs that are no texts.
 */
export function comparedTexts({
  output,
  language,
  normalise = [],
}: Pick<TaskDefinition, 'output' | TextPart>): Partial<Pick<TaskDefinition, TextPart>> {
  if (output.type !== 'span' && output.type !== 'text') return {};
  const chosen = NORMALISATIONS.filter((each) => normalise.includes(each));
  return {
    ...(!isEnglish({ language }) && { language }),
    ...(chosen.length > 0 && { normalise: chosen }),
  };
}

const BenchmarkVersionSchema = defineEntity({
  name: 'BenchmarkVersion',
  uniques: [{ properties: ['task', 'number'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    number: p.integer(),
    /** Ids of the active dataset versions. */
    datasets: p.json<readonly string[]>(),
    definition: p.json<BoardDefinition>(),
    /**
     * Version of each definition: by the name of a metric, and `intervals` for everything else that
     * scoring computes. A name that is absent has version 1.
     */
    metricVersions: p.json<Readonly<Record<string, number>>>(),
    /**
     * AMRS by metric, of a version without `exchange`. Fixed at the first publication that ranks at least ten models without a
     * degenerate rate, then unchanged until the next benchmark version. Null: not fixed yet, so
     * rates are provisional.
     */
    amrs: p.json<Readonly<Record<string, number>>>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/**
 * The inputs of a leaderboard: the active dataset versions with metric versions, weights, discount,
 * limits and exchange rates.
 */
export class BenchmarkVersion extends BenchmarkVersionSchema.class {}
BenchmarkVersionSchema.setClass(BenchmarkVersion);
