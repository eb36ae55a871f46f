import { Component, inject } from '@angular/core';
import { operationEvaluatorsResource } from '@assay/api-client/angular';
import { RegisteredEvaluators } from '../evaluators/registered-evaluators.js';
import { Session } from '../session/session.js';
import { Loaded, Numbers, PageHeader, When } from '../ui/index.js';
import { Freshness } from './freshness.js';
import { evaluatorsInWords } from './operation-in-words.js';
import { VerdictLine } from './verdict-line.js';
import { WorkTable } from './work-table.js';

/** The evaluators that run, with the work that each one holds, and those that are registered. */
@Component({
  selector: 'app-evaluators-page',
  imports: [Freshness, Loaded, PageHeader, RegisteredEvaluators, VerdictLine, When, WorkTable],
  templateUrl: './evaluators-page.html',
  styles: `
    .panel {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: 8px;
    }

    .registered {
      margin: 32px 0 16px;
    }

    h2 {
      font-size: var(--size-3);
      overflow-wrap: anywhere;
    }
  `,
})
export class EvaluatorsPage {
  protected readonly session = inject(Session);
  protected readonly evaluators = operationEvaluatorsResource(() => ({}));
  protected readonly inWords = evaluatorsInWords;
  protected readonly numbers = inject(Numbers);
}
