import { Component } from '@angular/core';
import { operationEvaluatorsResource } from '@assay/api-client/angular';
import { Loaded, PageHeader, When } from '../ui/index.js';
import { Freshness } from './freshness.js';
import { evaluatorsInWords } from './operation-in-words.js';
import { VerdictLine } from './verdict-line.js';
import { WorkTable } from './work-table.js';

/** The registered evaluators and the work that each one holds. */
@Component({
  selector: 'app-evaluators-page',
  imports: [Freshness, Loaded, PageHeader, VerdictLine, When, WorkTable],
  templateUrl: './evaluators-page.html',
  styles: `
    .panel {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: 8px;
    }

    h2 {
      font-size: var(--size-3);
      overflow-wrap: anywhere;
    }
  `,
})
export class EvaluatorsPage {
  protected readonly evaluators = operationEvaluatorsResource(() => ({}));
  protected readonly inWords = evaluatorsInWords;
}
