import { computed, inject, Injectable } from '@angular/core';
import { collectionnumbersOfTaskResource, roundsListResource } from '@assay/api-client/angular';
import { roundSummaries } from './round-summary.js';
import { TaskContext } from './task-context.js';

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
