import type { Round, RoundModel, Serving, TurningRule } from '@assay/api-client/angular';

/**
 * Describes what closes a round automatically, one phrase per condition. Empty if only its owner
 * closes it.
 */
export function turningWords(turn: TurningRule | null, date: (at: string) => string): readonly string[] {
  if (!turn) return [];
  const { examples, validated, closesAt, saturation } = turn;
  return [
    ...(examples === undefined ? [] : [$localize`at ${examples}:count: examples`]),
    ...(validated === undefined ? [] : [$localize`at ${validated}:count: validated examples`]),
    ...(closesAt === undefined ? [] : [$localize`on ${date(closesAt)}:date:`]),
    ...(saturation === undefined
      ? []
      : [
          $localize`when a new model is right on ${Math.round(saturation * 100)}:percent: % of what fooled the target models`,
        ]),
  ];
}

/** The current step of a round that is closing. */
export const CLOSING_WORDS: Readonly<Record<NonNullable<Round['closingStep']>, string>> = {
  settle: $localize`It waits for what is not validated yet.`,
  freeze: $localize`Its examples become datasets.`,
  evaluate: $localize`All ranked models are evaluated on its examples.`,
  promote: $localize`The policy chooses the models of the next loop.`,
  next: $localize`The next round is opened.`,
};

/** Why a model is a target of a round. */
export const REASON_WORDS: Readonly<Record<RoundModel['reason'], string>> = {
  policy: $localize`by the task’s rule`,
  named: $localize`named by the owner`,
  replacement: $localize`in place of one that left`,
};

const SERVING_WORDS: Readonly<Record<Serving['state'], string>> = {
  wanted: $localize`waits for its start`,
  starting: $localize`starts`,
  ready: $localize`answers`,
  stopped: $localize`stopped`,
  failed: $localize`given up`,
};

/** Describes whether a deployment can answer now. */
export const servingWords = ({ paused, state }: Serving): string =>
  paused ? $localize`pauses while something is measured beside it` : SERVING_WORDS[state];

/** Returns the progress of a round towards the counts that close it. */
export function progressOf(round: Pick<Round, 'turn' | 'counts'>): readonly Goal[] {
  const { turn, counts } = round;
  const goals = [
    { name: $localize`examples`, done: counts.examples, of: turn?.examples },
    { name: $localize`validated examples`, done: counts.validated, of: turn?.validated },
  ];
  return goals.flatMap(({ name, done, of }) => (of === undefined ? [] : [{ name, done, of }]));
}

export interface Goal {
  readonly name: string;
  readonly done: number;
  readonly of: number;
}
