import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import type { Model, Task } from '@assay/api-client/angular';
import { evaluatorNamesOf } from '@assay/scoring/marks';
import { CopyButton, Icon, Numbers, When } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';

/**
 * The origin and limits of a model: owner, artifact with its digest, training data, limits,
 * hardware and downloads.
 */
@Component({
  selector: 'app-model-facts',
  imports: [CopyButton, Icon, MatButton, RouterLink, Term, When],
  templateUrl: './model-facts.html',
  styleUrl: './model-facts.scss',
})
export class ModelFacts {
  readonly model = input.required<Model>();
  readonly task = input<Task>();

  protected readonly numbers = inject(Numbers);
  protected readonly hardware = computed(() => [
    ...new Set(this.model().evaluations.flatMap(({ measures }) => measures.hardware ?? [])),
  ]);
  /** The evaluators of users that answered or measured, in words. Empty if there are none. */
  protected readonly evaluators = computed(() => evaluatorNamesOf(this.model().evaluations));
  /** True if an evaluation is scored. Result files need one. */
  protected readonly isScored = computed(() => this.model().evaluations.some(({ state }) => state === 'scored'));
  protected readonly kind = computed(() => KINDS[this.model().kind]);
  protected readonly repeatability = computed(() => {
    const told = this.model().repeatability;
    if (!told) return undefined;
    if (told.why !== undefined) return told.why;
    const [compared, different] = [this.numbers.count(told.compared), this.numbers.count(told.different)];
    return told.different === 0
      ? $localize`Deterministic: the answers to all ${compared}:count: repeated examples are identical.`
      : $localize`Non-deterministic: ${different}:different: of ${compared}:count: repeated examples were answered differently.`;
  });
}

const KINDS: Readonly<Record<Model['kind'], string>> = {
  container: $localize`a container that runs here`,
  onnx: $localize`an ONNX bundle that runs here`,
  predictions: $localize`predictions that were uploaded: nothing ran here, so it has no costs`,
};
