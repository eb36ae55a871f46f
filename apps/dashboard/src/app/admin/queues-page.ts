import { Component, inject } from '@angular/core';
import { operationQueuesResource } from '@assay/api-client/angular';
import { Loaded, Numbers, PageHeader } from '../ui/index.js';
import { Freshness } from './freshness.js';
import { queuesInWords } from './operation-in-words.js';
import { VerdictLine } from './verdict-line.js';
import { QUEUE_NAMES, STAGE_NAMES } from './work-words.js';

/** The queues: the amount of waiting work, and how long it has waited. */
@Component({
  selector: 'app-queues-page',
  imports: [Freshness, Loaded, PageHeader, VerdictLine],
  templateUrl: './queues-page.html',
  styles: '.parts { gap: 32px; } section { display: grid; gap: 8px; min-width: 0; }',
})
export class QueuesPage {
  protected readonly numbers = inject(Numbers);
  protected readonly queues = operationQueuesResource(() => ({}));
  protected readonly inWords = queuesInWords;
  protected readonly stageNames = STAGE_NAMES;
  protected readonly queueNames = QUEUE_NAMES;
}
