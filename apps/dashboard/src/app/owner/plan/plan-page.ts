import { Component, computed, inject, signal } from '@angular/core';
import { RouterLink } from '@angular/router';
import { planningPlanResource, type RoundPlan } from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { NumberField } from '../../ui/fields/number-field.js';
import { Empty, Loaded, Numbers, PageHeader } from '../../ui/index.js';

const USUAL_POINTS = '2';

/** The number of examples that the next round needs to tell the top models apart, and the expected pay. */
@Component({
  selector: 'app-plan-page',
  imports: [Empty, Loaded, NumberField, PageHeader, RouterLink],
  templateUrl: './plan-page.html',
})
export class PlanPage {
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  /** The difference to detect, as typed. */
  protected readonly detect = signal(USUAL_POINTS);
  protected readonly difference = computed(() => {
    const value = Number(this.detect());
    return this.detect().trim() !== '' && value > 0 && Number.isFinite(value) ? value : undefined;
  });
  protected readonly plan = planningPlanResource(() => {
    const [slug, detect] = [this.context.slug(), this.difference()];
    return slug && detect !== undefined ? { path: { slug }, query: { detect } } : undefined;
  });

  protected nameOf({ models }: RoundPlan, id: string): string {
    return models.find(({ model }) => model.id === id)?.model.name ?? id;
  }

  /** Formats a number of examples with its interval, `1,961 (1,500 to 2,600)`. */
  protected examples(needed: RoundPlan['needed']): string {
    if (needed === null) return $localize`unknown`;
    const { value, low, high } = needed;
    if (low === null || high === null) return this.numbers.count(value);
    const [most, least] = [this.numbers.count(high), this.numbers.count(low)];
    return $localize`${this.numbers.count(value)}:value: (${least}:low: to ${most}:high:)`;
  }
}
