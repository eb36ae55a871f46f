import { Component, computed, inject, input, type Resource } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { CollectionNumbers, Round } from '@assay/api-client/angular';
import { Estimate, Loaded, Numbers, ValidatedErrorRate } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';

/**
 * The statistics of a round: examples by outcome and error rates, and rates by model if they may be
 * disclosed.
 */
@Component({
  selector: 'app-round-figures',
  imports: [Estimate, Loaded, RouterLink, Term, ValidatedErrorRate],
  templateUrl: './round-figures.html',
  styleUrl: './round-figures.scss',
})
export class RoundFigures {
  readonly slug = input.required<string>();
  readonly round = input.required<Round>();
  readonly figures = input.required<Resource<CollectionNumbers | undefined>>();

  protected readonly numbers = inject(Numbers);
  protected readonly rates = computed(() => {
    const figures = this.figures();
    if (!figures.hasValue()) return [];
    const { mer, vmer, errorRateAmongValidated, yield: kept } = figures.value().total;
    return [
      { name: 'vmer', rate: vmer, pending: vmer.pending },
      { name: 'errorRateAmongValidated', rate: errorRateAmongValidated, pending: 0 },
      { name: 'mer', rate: mer, pending: 0 },
      { name: 'yield', rate: kept, pending: 0 },
    ];
  });
  protected readonly fates = computed(() => {
    const { counts } = this.round();
    return [
      { name: $localize`written`, count: counts.examples },
      { name: $localize`fooled a model`, count: counts.fooled },
      { name: $localize`found right`, count: counts.validated },
      { name: $localize`to be validated`, count: counts.pending },
      { name: $localize`found wrong`, count: counts.rejected },
      { name: $localize`flagged`, count: counts.flagged },
      { name: $localize`without agreement`, count: counts.undecided },
      { name: $localize`retracted`, count: counts.retracted },
      { name: $localize`contexts`, count: counts.contexts },
      { name: $localize`people`, count: counts.annotators },
    ];
  });
}
