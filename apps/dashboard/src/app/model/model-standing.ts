import type { Model } from '@assay/api-client/angular';

/** The state of a model for display: a word with a tone, and a sentence. */
export interface Standing {
  readonly word: string;
  readonly tone: 'good' | 'caution' | 'bad' | 'accent' | '';
  readonly sentence: string;
}

export type Standable = Pick<Model, 'state' | 'published' | 'withdrawn' | 'kind'> & {
  readonly evaluations: readonly Pick<Model['evaluations'][number], 'state' | 'answersWithdrawn'>[];
  readonly awaits?: Model['awaits'];
};

export const standingOf = (model: Standable): Standing =>
  model.state === 'scored' ? scoredStanding(model) : STANDINGS[model.state];

const STANDINGS: Readonly<Record<Exclude<Model['state'], 'scored'>, Standing>> = {
  'awaiting-artifact': {
    word: $localize`waits for its artifact`,
    tone: 'caution',
    sentence: $localize`Nothing was uploaded yet: upload its artifact, then it is evaluated.`,
  },
  admitting: {
    word: $localize`is inspected`,
    tone: 'accent',
    sentence: $localize`Its artifact is inspected before it runs.`,
  },
  queued: { word: $localize`waits`, tone: 'accent', sentence: $localize`It waits for an evaluator.` },
  running: { word: $localize`runs`, tone: 'accent', sentence: $localize`It is being evaluated.` },
  failed: { word: $localize`failed`, tone: 'bad', sentence: $localize`It has no rank: its evaluation failed.` },
  cancelled: {
    word: $localize`cancelled`,
    tone: 'caution',
    sentence: $localize`Its evaluation was stopped by its owner. What was scored before stays.`,
  },
};

function scoredStanding({ published, withdrawn, evaluations, awaits = [] }: Standable): Standing {
  if (withdrawn) {
    return {
      word: $localize`withdrawn`,
      tone: 'caution',
      sentence: $localize`Its owner took it off the board. Its scores stay, and older boards keep it.`,
    };
  }
  const missing = evaluations.filter(({ state }) => state !== 'scored').length;
  const of = evaluations.length;
  const awaited = awaits.filter(({ use }) => use === 'scoring').map(({ dataset }) => dataset);
  if (awaited.length > 0) {
    return {
      word: $localize`incomplete`,
      tone: 'caution',
      sentence: $localize`It has no rank on the whole board: predictions for ${awaited.join(', ')}:datasets: are missing.`,
    };
  }
  if (missing > 0) {
    return {
      word: $localize`incomplete`,
      tone: 'caution',
      sentence: $localize`${of - missing}:count: of its ${of}:of: evaluations are scored; the rest says below why it is not.`,
    };
  }
  return published
    ? { word: $localize`scored`, tone: 'good', sentence: $localize`It is scored and on the board.` }
    : {
        word: $localize`scored, not published`,
        tone: 'accent',
        sentence: $localize`It is scored. The board does not show it before its owner publishes it.`,
      };
}

/** Returns the actions that the state of a model allows its owner. */
export function possibleActions(
  model: Standable & { readonly measuring?: boolean; readonly artifact?: { readonly archivedAt?: string } },
) {
  const isOver = model.state === 'scored' || model.state === 'failed' || model.state === 'cancelled';
  const hasBytes = model.artifact !== undefined && model.artifact.archivedAt === undefined;
  const isWhole = model.evaluations.every(({ state }) => state === 'scored');
  const hasWithdrawn = model.evaluations.some(({ answersWithdrawn }) => answersWithdrawn === true);
  return {
    rerun: isOver && hasBytes && (model.state !== 'scored' || !isWhole || hasWithdrawn),
    measure: model.state === 'scored' && hasBytes && model.kind !== 'predictions' && model.measuring !== true,
    cancel: model.state === 'admitting' || model.state === 'queued' || model.state === 'running',
    publish: !model.published || model.withdrawn,
    withdraw: model.published && !model.withdrawn,
    archive: isOver && hasBytes,
  };
}
