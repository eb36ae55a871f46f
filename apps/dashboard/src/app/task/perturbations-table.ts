import { Component, inject, input } from '@angular/core';
import type { PerturbedVersion } from '@assay/api-client/angular';
import { Numbers } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';

/**
 * The transforms of each perturbed dataset, with the share of variants whose answer people
 * confirmed.
 */
@Component({
  selector: 'app-perturbations-table',
  imports: [Term],
  templateUrl: './perturbations-table.html',
})
export class PerturbationsTable {
  readonly slug = input.required<string>();
  readonly items = input.required<readonly PerturbedVersion[]>();

  protected readonly numbers = inject(Numbers);

  protected words(transform: string): string {
    return transform === 'own' ? $localize`pairs of the owner` : transform.replaceAll('_', ' ');
  }
}
