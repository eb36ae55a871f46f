import { Component } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { tasksListResource } from '@assay/api-client/angular';
import { Empty, Loaded, PageHeader } from '../ui/index.js';

/** Chooses the task to submit a model to. */
@Component({
  selector: 'app-choose-task-page',
  imports: [Empty, Loaded, MatButton, PageHeader, RouterLink],
  template: `
    <div class="page">
      <app-page-header i18n-title title="Submit a model" i18n-lead lead="Which task is it for?" />
      <ng-container *appLoaded="tasks; let list">
        @if (list.items.length > 0) {
          <ul>
            @for (task of list.items; track task.slug) {
              <li>
                <a class="panel" [routerLink]="['/tasks', task.slug, 'submit']">
                  <strong>{{ task.name }}</strong>
                  <span class="muted" i18n>from {{ inputs(task) }} to {{ task.output.name }}</span>
                </a>
              </li>
            }
          </ul>
        } @else {
          <app-empty>
            <p i18n>There are no tasks yet. Models are submitted to a task: make the first one.</p>
            <a matButton="outlined" routerLink="/tasks/new" i18n>Make a task</a>
          </app-empty>
        }
      </ng-container>
    </div>
  `,
  styles: `
    ul {
      display: grid;
      gap: 12px;
      grid-template-columns: repeat(auto-fill, minmax(min(320px, 100%), 1fr));
      padding: 0;
      list-style: none;
    }

    a.panel {
      display: grid;
      gap: 4px;
      height: 100%;
      color: var(--text);
      text-decoration: none;

      &:hover {
        border-color: var(--accent);
      }
    }
  `,
})
export class ChooseTaskPage {
  protected readonly tasks = tasksListResource(() => ({ query: { limit: 200 } }));

  protected inputs({ inputs }: { readonly inputs: readonly { readonly name: string }[] }): string {
    return inputs.map(({ name }) => name).join(', ');
  }
}
