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

/** Describes the current step of a round that is closing. */
export function closingWords(step: Round['closingStep']): string | undefined {
  switch (step) {
    case 'settle':
      return $localize`It waits for what is not validated yet.`;
    case 'freeze':
      return $localize`Its examples become datasets.`;
    case 'evaluate':
      return $localize`All ranked models are evaluated on its examples.`;
    case 'promote':
      return $localize`The policy chooses the models of the next loop.`;
    case 'next':
      return $localize`The next round is opened.`;
    case null:
      return undefined;
  }
}

/** Describes why a model is a target of a round. */
export function reasonWords(reason: RoundModel['reason']): string {
  switch (reason) {
    case 'policy':
      return $localize`by the task’s rule`;
    case 'named':
      return $localize`named by the owner`;
    case 'replacement':
      return $localize`in place of one that left`;
  }
}

/** Describes whether a deployment can answer now. */
export function servingWords(serving: Serving): string {
  if (serving.paused) return $localize`pauses while something is measured beside it`;
  switch (serving.state) {
    case 'wanted':
      return $localize`waits for its start`;
    case 'starting':
      return $localize`starts`;
    case 'ready':
      return $localize`answers`;
    case 'stopped':
      return $localize`stopped`;
    case 'failed':
      return $localize`given up`;
  }
}

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
