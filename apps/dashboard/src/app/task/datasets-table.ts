import { Component, inject, input } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { ActivatedRoute, RouterLink } from '@angular/router';
import type { DatasetSummary } from '@assay/api-client/angular';
import { Icon, Numbers, When } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';
import { STATUS_NAMES, USE_NAMES, VISIBILITY_NAMES } from './task-words.js';

/** The datasets of a task, with use, visibility and downloads. */
@Component({
  selector: 'app-datasets-table',
  imports: [Icon, RouterLink, Term, When],
  templateUrl: './datasets-table.html',
  styleUrl: './datasets-table.scss',
})
export class DatasetsTable {
  readonly slug = input.required<string>();
  readonly datasets = input.required<readonly DatasetSummary[]>();

  protected readonly numbers = inject(Numbers);
  protected readonly statusNames = STATUS_NAMES;
  protected readonly useNames = USE_NAMES;
  protected readonly visibilityNames = VISIBILITY_NAMES;
  /** The dataset that the URL fragment names. */
  protected readonly sought = toSignal(inject(ActivatedRoute).fragment);

  protected address({ name }: DatasetSummary): string {
    return `/api/v1/tasks/${this.slug()}/datasets/${encodeURIComponent(name)}`;
  }
}
