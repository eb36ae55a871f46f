import { Component, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { overviewOverviewResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { cursorPages, Loaded, PageHeader, Pager } from '../ui/index.js';
import { FirstSteps } from './first-steps.js';
import { SaturationSection } from './saturation-section.js';
import { TasksTable } from './tasks-table.js';

/** The tasks with their leading models, and the saturation of these tasks over time. */
@Component({
  selector: 'app-home-page',
  imports: [FirstSteps, Loaded, MatButton, PageHeader, Pager, RouterLink, SaturationSection, TasksTable],
  templateUrl: './home-page.html',
  styles: '.parts { gap: 40px; }',
})
export class HomePage {
  protected readonly session = inject(Session);
  protected readonly pages = cursorPages();
  protected readonly overview = overviewOverviewResource(() => ({ query: { limit: 50, ...this.pages.query() } }));
}
