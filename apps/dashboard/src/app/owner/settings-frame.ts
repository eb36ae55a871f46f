import { Component, inject } from '@angular/core';
import { RouterLink, RouterLinkActive, RouterOutlet } from '@angular/router';
import { TaskContext } from '../task/task-context.js';
import { Empty, Loaded, PageHeader } from '../ui/index.js';

/** The frame around the settings pages of a task, for users who may change it. */
@Component({
  selector: 'app-settings-frame',
  imports: [Empty, Loaded, PageHeader, RouterLink, RouterLinkActive, RouterOutlet],
  template: `
    <div class="page" *appLoaded="context.task; let task">
      @if (context.isOwner()) {
        <nav i18n-aria-label aria-label="Settings of the task">
          @for (page of pages; track page.path) {
            <a [routerLink]="page.path" routerLinkActive="here" ariaCurrentWhenActive="page">{{ page.name }}</a>
          }
        </nav>
        <router-outlet />
      } @else {
        <app-page-header i18n-title title="Settings" />
        <app-empty>
          <p i18n>Only the owners of {{ task.name }} can change it. Sign in as one of them, or ask {{ task.owner }}.</p>
          <a [routerLink]="['/tasks', task.slug]" i18n>Go to the task</a>
        </app-empty>
      }
    </div>
  `,
  styles: `
    nav {
      display: flex;
      flex-wrap: wrap;
      gap: 4px;
      margin: -8px 0 24px;
      padding: 4px 0;
    }

    nav a {
      padding: 6px 12px;
      border-radius: var(--radius);
      color: var(--muted);
      text-decoration: none;
      white-space: nowrap;

      &:hover {
        color: var(--text);
      }
    }

    nav a.here {
      background: var(--accent-soft);
      color: var(--text);
      font-weight: 500;
    }
  `,
})
export class SettingsFrame {
  protected readonly context = inject(TaskContext);
  protected readonly pages = [
    { path: 'definition', name: $localize`Definition` },
    { path: 'datasets', name: $localize`Datasets` },
    { path: 'benchmark', name: $localize`Benchmark` },
    { path: 'rounds', name: $localize`Rounds` },
    { path: 'plan', name: $localize`Next round` },
    { path: 'loop', name: $localize`Loop` },
    { path: 'weights', name: $localize`Weights` },
    { path: 'people', name: $localize`People` },
    { path: 'crowd', name: $localize`Crowd` },
  ];
}
