import { httpResource } from '@angular/common/http';
import { Component, computed, inject, linkedSignal, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import type { TaskChange } from '@assay/api-client/angular';
import { decodeMatrix, type MatrixFile } from '@assay/scoring/board';
import { problemOf } from '../../session/problem.js';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem, Icon, Loaded, Numbers, PageHeader } from '../../ui/index.js';
import { Term } from '../../ui/terms/term.js';
import { NumberField } from '../../ui/fields/number-field.js';
import { Desk } from '../desk.js';
import { mergePatch } from '../yaml/merge-patch.js';
import { type BoardPreview, previewBoard, standingWeighing, type Weighing } from './board-preview.js';

const SHOWN_ROWS = 20;

/** Edits the weights of metrics and datasets and the exchange of costs, and previews the resulting board. */
@Component({
  selector: 'app-weights-page',
  imports: [ActionProblem, Desk, FORM_FIELD, Icon, Loaded, MatButton, NumberField, PageHeader, Term],
  templateUrl: './weights-page.html',
  styleUrl: './weights-page.scss',
})
export class WeightsPage {
  private readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly saving = new Action();
  protected readonly saved = signal(false);
  protected readonly matrix = httpResource.arrayBuffer<MatrixFile>(
    () => (this.context.slug() ? `/api/v1/tasks/${this.context.slug()}/leaderboard/matrix` : undefined),
    { parse: (bytes) => decodeMatrix(new Uint8Array(bytes)) },
  );

  private readonly file = computed(() => (this.matrix.hasValue() ? this.matrix.value() : undefined));
  private readonly standing = computed(() => {
    const file = this.file();
    return file && standingWeighing(file);
  });
  protected readonly weighing = linkedSignal<Weighing | undefined>(() => this.standing());
  protected readonly preview = computed<{ readonly board?: BoardPreview; readonly problem?: string }>(() => {
    const [file, weighing] = [this.file(), this.weighing()];
    if (!file || !weighing) return {};
    try {
      return { board: previewBoard(file, weighing) };
    } catch (error) {
      return { problem: problemOf(error).detail };
    }
  });
  protected readonly rows = computed(() => this.preview().board?.rows.slice(0, SHOWN_ROWS) ?? []);
  protected readonly more = computed(() => (this.preview().board?.rows.length ?? 0) - this.rows().length);
  /** The costs that have an exchange rate. */
  protected readonly costs = computed(
    () => this.file()?.matrix.metrics.filter(({ name }) => name in (this.standing()?.rates ?? {})) ?? [],
  );
  protected readonly total = computed(() =>
    Object.values(this.weighing()?.weights ?? {}).reduce((sum, weight) => sum + weight, 0),
  );
  /** The change as a merge patch of the task. */
  private readonly change = computed<TaskChange>(() => {
    const [weighing, standing, task] = [this.weighing(), this.standing(), this.context.loaded()];
    if (!weighing || !standing || !task) return {};
    const isWeighedAnew = Object.keys(mergePatch(standing.weights, named(weighing.weights))).length > 0;
    const aggregate = mergePatch({ ...standing.aggregate }, { ...weighing.aggregate });
    const changed = Object.entries(weighing.rates).filter(([cost, rate]) => rate !== standing.rates[cost]);
    return {
      ...(changed.length > 0 && { exchangeRates: Object.fromEntries(changed) }),
      ...(isWeighedAnew && { weights: mergePatch(task.weights ?? {}, named(weighing.weights)) }),
      ...(Object.keys(aggregate).length > 0 && { aggregate }),
    };
  });
  protected readonly isChanged = computed(() => Object.keys(this.change()).length > 0);

  protected setWeight(metric: string, written: string): void {
    const weight = Number(written);
    if (written.trim() === '' || !(weight >= 0)) return;
    this.saved.set(false);
    this.weighing.update((before) => before && { ...before, weights: { ...before.weights, [metric]: weight } });
  }

  protected setRate(cost: string, written: string): void {
    const rate = Number(written);
    if (!(rate > 0)) return;
    this.saved.set(false);
    this.weighing.update((before) => before && { ...before, rates: { ...before.rates, [cost]: rate } });
  }

  protected rateLabel(cost: string): string {
    return $localize`Exchange rate of ${cost}:metric:`;
  }

  protected rateHint(direction: 'higher' | 'lower'): string {
    return direction === 'higher'
      ? $localize`points per doubling, times its weight`
      : $localize`points per halving, times its weight`;
  }

  protected setAggregate(key: 'recency' | 'static' | 'minimumExamples', written: string): void {
    if (written.trim() === '' || !Number.isFinite(Number(written))) return;
    this.saved.set(false);
    this.weighing.update(
      (before) => before && { ...before, aggregate: { ...before.aggregate, [key]: Number(written) } },
    );
  }

  protected setOwnRounds(ownRounds: 'adjust' | 'count'): void {
    this.weighing.update((before) => before && { ...before, aggregate: { ...before.aggregate, ownRounds } });
  }

  protected exactly(metric: string): string {
    return $localize`${metric}:metric:, as a number`;
  }

  protected undo(): void {
    this.weighing.set(this.standing());
    this.saving.clear();
  }

  protected async save(): Promise<void> {
    await this.saving.run(async () => {
      await this.context.change(this.change());
      this.saved.set(true);
      this.matrix.reload();
    });
  }
}

/** Returns only the positive weights. */
const named = (weights: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(weights).filter(([, weight]) => weight > 0));
