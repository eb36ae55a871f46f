import { Component, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { overviewOverviewResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { Loaded, PageHeader } from '../ui/index.js';
import { FirstSteps } from './first-steps.js';
import { SaturationSection } from './saturation-section.js';
import { TasksTable } from './tasks-table.js';

/** All tasks with their leading models, and the saturation of the tasks over time. */
@Component({
  selector: 'app-home-page',
  imports: [FirstSteps, Loaded, MatButton, PageHeader, RouterLink, SaturationSection, TasksTable],
  templateUrl: './home-page.html',
  styles: '.parts { gap: 40px; }',
})
export class HomePage {
  protected readonly session = inject(Session);
  protected readonly overview = overviewOverviewResource(() => ({}));
}
