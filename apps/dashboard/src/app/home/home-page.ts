import { Component } from '@angular/core';
import { RouterLink } from '@angular/router';
import { overviewOverviewResource } from '../../client/@angular/common.gen.js';
import { Loaded } from '../ui/loaded.js';
import { PageHeader } from '../ui/page-header.js';

/** All tasks. */
@Component({
  selector: 'app-home-page',
  imports: [Loaded, PageHeader, RouterLink],
  template: `
    <div class="page">
      <app-page-header i18n-title title="Tasks" />
      <ul *appLoaded="overview; let overview">
        @for (task of overview.items; track task.task) {
          <li>
            <a [routerLink]="['/tasks', task.task]">{{ task.name }}</a>
          </li>
        }
      </ul>
    </div>
  `,
})
export class HomePage {
  protected readonly overview = overviewOverviewResource(() => ({}));
}
