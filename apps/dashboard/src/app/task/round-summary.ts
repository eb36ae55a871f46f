import type { CollectionFigures, CollectionGroup, DatasetSummary, Round } from '../../client/types.gen.js';

/** A round at a glance. */
export interface RoundSummary {
  readonly number: number;
  readonly state: Round['state'];
  readonly imported: boolean;
  readonly openedAt: string | null;
  readonly closedAt: string | null;
  /** Written or brought here; of one that came as files those of its datasets. */
  readonly examples: number;
  readonly figures: CollectionFigures | undefined;
  /** Names of the models that are, or were, in its loop. */
  readonly models: readonly { readonly id: string; readonly name: string }[];
}

/**
 * @param groups the numbers of the task by round
 * @param datasets of the task
 */
export function roundSummaries(
  rounds: readonly Round[],
  groups: readonly CollectionGroup[],
  datasets: readonly DatasetSummary[],
): readonly RoundSummary[] {
  const figures = new Map(groups.map((group) => [group.key, group]));
  return rounds.map((round): RoundSummary => {
    const { number, state, imported, openedAt, closedAt } = round;
    const group = figures.get(String(number));
    const inFiles = datasets.filter((each) => each.role === 'round' && each.round === number);
    const written = group ? group.submitted + group.attested.examples : 0;
    return {
      number,
      state,
      imported,
      openedAt,
      closedAt,
      examples: imported ? inFiles.reduce((sum, { examples }) => sum + examples, 0) : written,
      figures: group,
      models: round.models.map(({ model }) => model),
    };
  });
}

/** What a state is called. */
export function roundStateName({ state, imported }: Pick<RoundSummary, 'state' | 'imported'>): string {
  if (imported) return $localize`from files`;
  switch (state) {
    case 'open':
      return $localize`open`;
    case 'closing':
      return $localize`closing`;
    case 'closed':
      return $localize`closed`;
  }
}
