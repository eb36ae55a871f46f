import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { EvaluatorList, RunningSandboxes } from '@assay/api-client/angular';
import { Numbers, When } from '../ui/index.js';
import { WORK_NAMES } from './work-words.js';

type Work = EvaluatorList['items'][number]['work'][number] & Partial<RunningSandboxes['items'][number]>;

/** The runs and deployments of one evaluator. Or those of all, with their evaluator and limits. */
@Component({
  selector: 'app-work-table',
  imports: [RouterLink, When],
  templateUrl: './work-table.html',
  styles: `
    td {
      min-width: 88px;
    }

    th[scope='row'] {
      min-width: 160px;
    }

    .owner {
      display: block;
      font-weight: 400;
    }
  `,
})
export class WorkTable {
  /** The accessible name of the table. */
  readonly label = input.required<string>();
  readonly work = input.required<readonly Work[]>();

  protected readonly numbers = inject(Numbers);
  protected readonly names = WORK_NAMES;
  protected readonly saysWhere = computed(() => this.work().some(({ evaluator }) => evaluator !== undefined));

  /** How long each has run, in words, at the time the table was loaded. */
  protected readonly lengths = computed(() => {
    const now = Date.now();
    return this.work().map(({ since }) => this.numbers.duration(Math.max(0, now - Date.parse(since))));
  });
}
