import { computed, inject, Injectable } from '@angular/core';
import {
  type CollectionFigures,
  type CollectionGroup,
  collectionnumbersOfTaskResource,
  type DatasetSummary,
  type Round,
  roundsListResource,
} from '@assay/api-client/angular';
import { TaskContext } from './task-context.js';

/** The summary of a round. */
export interface RoundSummary extends Pick<Round, 'number' | 'state' | 'imported' | 'openedAt' | 'closedAt'> {
  /**
   * The number of examples, written or imported. For a round imported from files, the examples in
   * its datasets.
   */
  readonly examples: number;
  readonly figures: CollectionFigures | undefined;
  /** The target models of the round. */
  readonly models: readonly { readonly id: string; readonly name: string }[];
}

/**
 * Summarises the rounds of a task.
 * @param groups The task's collection statistics, grouped by round.
 * @param datasets The task's datasets.
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
      ...{ number, state, imported, openedAt, closedAt },
      examples: imported ? inFiles.reduce((sum, { examples }) => sum + examples, 0) : written,
      figures: group,
      models: round.models.map(({ model }) => model),
    };
  });
}

const STATE_NAMES: Readonly<Record<Round['state'], string>> = {
  open: $localize`open`,
  closing: $localize`closing`,
  closed: $localize`closed`,
};

/** Returns the label of a round's state. */
export const roundStateName = ({ state, imported }: Pick<RoundSummary, 'state' | 'imported'>): string =>
  imported ? $localize`from files` : STATE_NAMES[state];

/** The rounds of the current task, with the statistics of each. */
@Injectable()
export class Rounds {
  private readonly context = inject(TaskContext);

  readonly list = roundsListResource(this.context.path);
  readonly numbers = collectionnumbersOfTaskResource(() => {
    const path = this.context.path();
    return path && { ...path, query: { by: 'round' as const } };
  });
  /** The summaries, the oldest round first; empty until they are loaded. */
  readonly summaries = computed(() => {
    const rounds = this.list.hasValue() ? this.list.value().items : [];
    const groups = this.numbers.hasValue() ? this.numbers.value().groups : [];
    return roundSummaries(rounds, groups, this.context.loaded()?.datasets ?? []);
  });
}
