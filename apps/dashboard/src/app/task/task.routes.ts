import type { Routes } from '@angular/router';
import { TaskContext } from './task-context.js';

/** Pages within a task: they share its frame, and the task itself through `TaskContext`. */
export const taskRoutes: Routes = [
  {
    path: '',
    providers: [TaskContext],
    loadComponent: () => import('./task-frame.js').then((it) => it.TaskFrame),
    children: [
      {
        path: '',
        pathMatch: 'full',
        title: $localize`Overview`,
        loadComponent: () => import('./overview-page.js').then((it) => it.OverviewPage),
      },
      {
        path: 'models/:id',
        title: $localize`Model`,
        loadComponent: () => import('../model/model-page.js').then((it) => it.ModelPage),
      },
      {
        path: 'settings',
        loadChildren: () => import('../owner/settings.routes.js').then((it) => it.settingsRoutes),
      },
    ],
  },
];
