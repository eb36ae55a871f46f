import { Component, inject } from '@angular/core';
import { Loaded } from '../ui/loaded.js';
import { Markdown } from '../ui/markdown.js';
import { PageHeader } from '../ui/page-header.js';
import { TaskContext } from './task-context.js';

/** What a task is. */
@Component({
  selector: 'app-overview-page',
  imports: [Loaded, Markdown, PageHeader],
  template: `
    <div class="page" *appLoaded="context.task; let task">
      <app-page-header [title]="task.name" />
      <app-markdown [text]="task.description" />
    </div>
  `,
})
export class OverviewPage {
  protected readonly context = inject(TaskContext);
}
