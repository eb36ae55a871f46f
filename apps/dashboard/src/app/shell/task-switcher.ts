import { Component, computed, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatMenu, MatMenuItem, MatMenuTrigger } from '@angular/material/menu';
import { Router, RouterLink } from '@angular/router';
import { tasksListResource } from '@assay/api-client/angular';
import { Icon } from '../ui/index.js';

/** Shows the current task and links to the others. */
@Component({
  selector: 'app-task-switcher',
  imports: [Icon, MatButton, MatMenu, MatMenuItem, MatMenuTrigger, RouterLink],
  template: `
    <button matButton type="button" [matMenuTriggerFor]="menu">
      <span class="name">{{ name() }}</span>
      <app-icon name="expand_more" />
    </button>
    <mat-menu #menu="matMenu">
      @if (tasks.hasValue()) {
        @for (task of tasks.value().items; track task.slug) {
          <a mat-menu-item [routerLink]="['/tasks', task.slug]">{{ task.name }}</a>
        }
      }
      <a mat-menu-item routerLink="/"><ng-container i18n>All tasks</ng-container></a>
    </mat-menu>
  `,
  styles: `
    .name {
      display: inline-block;
      max-width: 24ch;
      overflow: hidden;
      text-overflow: ellipsis;
      vertical-align: bottom;
      white-space: nowrap;
    }

    app-icon {
      margin-inline-start: 4px;
    }

    @media (max-width: 720px) {
      .name {
        max-width: 14ch;
      }
    }

    /* the frame below the bar says the same name, and the bar has room for marks alone */
    @media (max-width: 480px) {
      .name {
        position: absolute;
        width: 1px;
        height: 1px;
        clip-path: inset(50%);
      }
    }
  `,
})
export class TaskSwitcher {
  private readonly router = inject(Router);
  private readonly slug = computed(() =>
    this.router.lastSuccessfulNavigation() ? /^\/tasks\/([^/?#]+)/.exec(this.router.url)?.[1] : undefined,
  );
  protected readonly tasks = tasksListResource(() => ({}));
  protected readonly name = computed(() => {
    const slug = this.slug();
    const task = this.tasks.hasValue() ? this.tasks.value().items.find((one) => one.slug === slug) : undefined;
    return task?.name ?? $localize`Tasks`;
  });
}
