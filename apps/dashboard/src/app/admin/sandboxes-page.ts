import { Component } from '@angular/core';
import { operationSandboxesResource } from '@assay/api-client/angular';
import { Empty, Loaded, PageHeader } from '../ui/index.js';
import { Freshness } from './freshness.js';
import { sandboxesInWords } from './operation-in-words.js';
import { WorkTable } from './work-table.js';

/** The models that are running, in an evaluation or as a deployment. */
@Component({
  selector: 'app-sandboxes-page',
  imports: [Empty, Freshness, Loaded, PageHeader, WorkTable],
  template: `
    <app-page-header
      i18n-title
      title="Sandboxes"
      i18n-lead
      lead="Models of others that run on this service now, each apart from all the rest."
    >
      <app-freshness [of]="sandboxes" />
    </app-page-header>
    <div class="stack" *appLoaded="sandboxes; let running">
      <p role="status">{{ inWords(running) }}</p>
      @if (running.items.length > 0) {
        <app-work-table i18n-label label="Models that run now" [work]="running.items" />
      } @else {
        <app-empty>
          <p i18n>Models that are evaluated, and models that people write examples against, are here while they run.</p>
        </app-empty>
      }
    </div>
  `,
})
export class SandboxesPage {
  protected readonly sandboxes = operationSandboxesResource(() => ({}));
  protected readonly inWords = sandboxesInWords;
}
