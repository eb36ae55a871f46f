import { Component, computed, debounced, inject, linkedSignal, resource, signal } from '@angular/core';
import { MatButton, MatIconButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { leaderboardPreviewLoop, type LoopPolicy, type LoopPreview, type Task } from '@assay/api-client/angular';
import { MEASURES } from '@assay/scoring/metrics';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem, Icon, Loaded, PageHeader } from '../../ui/index.js';
import { NumberField } from '../../ui/fields/number-field.js';
import { Desk } from '../desk.js';
import { mergePatch } from '../yaml/merge-patch.js';

type Bounds = 'minimum' | 'maximum';

const PAUSE = 300;
const WOULD: Readonly<Record<LoopPreview['models'][number]['would'], string>> = {
  stay: $localize`stays`,
  join: $localize`joins`,
  leave: $localize`leaves`,
  'stay-out': $localize`stays out`,
};

/**
 * Edits the policy that selects target models. Previews which models it would select now, and why.
 */
@Component({
  selector: 'app-loop-page',
  imports: [
    ActionProblem,
    Desk,
    FORM_FIELD,
    Icon,
    Loaded,
    MatButton,
    MatIconButton,
    NumberField,
    PageHeader,
    RouterLink,
  ],
  templateUrl: './loop-page.html',
  styleUrl: './loop-page.scss',
})
export class LoopPage {
  protected readonly context = inject(TaskContext);
  protected readonly saving = new Action();
  protected readonly saved = signal(false);
  protected readonly words = WOULD;

  private readonly standing = computed<LoopPolicy>(() => this.context.loaded()?.loop ?? {});
  protected readonly policy = linkedSignal(() => this.standing());
  protected readonly metrics = computed(() => {
    const task = this.context.loaded();
    return task ? boundMetrics(task) : [];
  });
  protected readonly bounds = computed(() => {
    const { minimum = {}, maximum = {} } = this.policy();
    return [
      ...Object.entries(minimum).map(([metric, value]) => ({ kind: 'minimum' as const, metric, value })),
      ...Object.entries(maximum).map(([metric, value]) => ({ kind: 'maximum' as const, metric, value })),
    ];
  });
  protected readonly change = computed(() => mergePatch({ ...this.standing() }, { ...this.policy() }));
  protected readonly isChanged = computed(() => Object.keys(this.change()).length > 0);

  private readonly settled = debounced(this.policy, PAUSE);
  protected readonly preview = resource({
    params: () => {
      const [slug, policy] = [this.context.slug(), this.settled.hasValue() ? this.settled.value() : undefined];
      return slug && policy ? { slug, policy } : undefined;
    },
    loader: async ({ params: { slug, policy } }) =>
      (await leaderboardPreviewLoop({ path: { slug }, body: policy })).data,
  });

  protected set(key: keyof LoopPolicy, value: unknown): void {
    this.saved.set(false);
    this.policy.update((before) => changed(key, before, value));
  }

  protected setNumber(key: 'size' | 'margin' | 'perOwner', written: string): void {
    if (written.trim() === '') this.set(key, undefined);
    else if (Number.isFinite(Number(written))) this.set(key, Number(written));
  }

  protected setBound(kind: Bounds, metric: string, value: number | 'baseline' | undefined): void {
    this.set(kind, changed(metric, this.policy()[kind] ?? {}, value));
  }

  protected writeBound(kind: Bounds, metric: string, written: string): void {
    const text = written.trim();
    if (text === 'baseline' && kind === 'minimum') this.setBound(kind, metric, 'baseline');
    else if (text !== '' && Number.isFinite(Number(text))) this.setBound(kind, metric, Number(text));
  }

  protected addBound(kind: Bounds, metric: string): void {
    if (metric !== '' && !(metric in (this.policy()[kind] ?? {}))) this.setBound(kind, metric, 0);
  }

  protected undo(): void {
    this.policy.set(this.standing());
    this.saving.clear();
  }

  protected async save(): Promise<void> {
    await this.saving.run(async () => {
      await this.context.change({ loop: this.change() });
      this.saved.set(true);
    });
  }

  protected removing(metric: string): string {
    return $localize`Remove the bound of ${metric}:metric:`;
  }

  protected atLeast(metric: string): string {
    return $localize`${metric}:metric: at least`;
  }

  protected atMost(metric: string): string {
    return $localize`${metric}:metric: at most`;
  }
}

/** Returns a copy of `before` with another value for a key. Undefined removes the key. */
const changed = <T extends object>(key: string, before: T, value: unknown): T =>
  Object.fromEntries(Object.entries({ ...before, [key]: value }).filter(([, each]) => each !== undefined)) as T;

/**
 * Returns the metrics that a loop policy can bound: every metric and cost that the board can weigh.
 */
function boundMetrics(
  task: Pick<Task, 'performance' | 'metrics' | 'output' | 'slices' | 'perturbations'>,
): readonly string[] {
  const kinds = (['fairness', 'robustness'] as const).filter((kind) => task.perturbations?.[kind] !== undefined);
  const fields = (task.slices ?? []).map((slicing) => (typeof slicing === 'string' ? slicing : slicing.field));
  return [
    ...new Set([
      task.performance,
      ...(task.metrics ?? []),
      ...(task.output.type === 'label' && task.output.ordered ? ['quadratic_kappa', 'mean_absolute_rank_error'] : []),
      ...kinds.flatMap((kind) => [kind, `${kind}_mean`, `${kind}_stability`]),
      ...fields.flatMap((field) => [`worst:${field}`, `gap:${field}`]),
      ...MEASURES.map(({ name }) => name),
    ]),
  ];
}
