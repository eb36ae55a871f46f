import { Component, computed, inject, input } from '@angular/core';
import type { Quota, Task } from '@assay/api-client/angular';
import { CopyButton, Numbers, When } from '../ui/index.js';
import { cliLines } from './cli-lines.js';
import { linesOf, type SubmissionDraft } from './submission-draft.js';

/** The aside of the first step: remaining quota, run limits, and the equivalent CLI commands. */
@Component({
  selector: 'app-submission-aside',
  imports: [CopyButton, When],
  templateUrl: './submission-aside.html',
  styleUrl: './submission-aside.scss',
})
export class SubmissionAside {
  readonly task = input.required<Task>();
  readonly draft = input.required<SubmissionDraft>();
  readonly quota = input<Quota>();

  protected readonly numbers = inject(Numbers);
  protected readonly lines = computed(() => {
    const { kind, name, trainedOn, publish } = this.draft();
    const url = location.origin;
    return cliLines({ task: this.task().slug, kind, name: name.trim(), trainedOn: linesOf(trainedOn), publish, url });
  });
  protected readonly runs = computed(() => this.draft().kind !== 'predictions');
}
