import { Component, computed, inject, input } from '@angular/core';
import type { Evaluation, PerturbedResult } from '@assay/api-client/angular';
import { columnScale, Estimate, Numbers, Whisker } from '../ui/index.js';
import { metricName } from '../ui/terms/terms.js';
import { examplesTitle } from './progress-rows.js';

type Figures = Pick<PerturbedResult, 'originals' | 'variants' | 'stayedRight' | 'mean' | 'stability' | 'drop'>;

interface Row extends Figures {
  readonly key: string;
  readonly title: string;
  /** True for a row of one transform, which is part of the row above it. */
  readonly isPart: boolean;
  readonly note: string;
}

const COLUMNS = ['stayedRight', 'mean', 'stability', 'drop'] as const;

/** The effect of perturbed examples on a model's answers, by dataset and transform. */
@Component({
  selector: 'app-model-perturbations',
  imports: [Estimate, Whisker],
  templateUrl: './model-perturbations.html',
  styleUrl: './figures-table.scss',
})
export class ModelPerturbations {
  readonly evaluations = input.required<readonly Evaluation[]>();

  protected readonly numbers = inject(Numbers);
  protected readonly columns = COLUMNS;
  protected readonly rows = computed(() => this.evaluations().flatMap(rowsOf));
  protected readonly scales = computed(() =>
    Object.fromEntries(COLUMNS.map((name) => [name, columnScale(this.rows().flatMap((row) => row[name] ?? []))])),
  );
}

function rowsOf(evaluation: Evaluation): Row[] {
  const { perturbed } = evaluation;
  if (!perturbed) return [];
  const title = examplesTitle(evaluation);
  const parts = Object.entries(perturbed.transforms).map(([name, part]) => ({
    ...part,
    key: `${title} ${name}`,
    title: metricName(name),
    isPart: true,
    note: part.ranks ? '' : $localize`does not count: people found that too few keep their label`,
  }));
  return [{ ...perturbed, key: title, title, isPart: false, note: '' }, ...parts];
}
