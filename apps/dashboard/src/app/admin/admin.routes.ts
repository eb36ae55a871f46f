import type { Routes } from '@angular/router';

/** The administration pages, in a frame with navigation. */
export const adminRoutes: Routes = [
  {
    path: '',
    loadComponent: () => import('./admin-frame.js').then((it) => it.AdminFrame),
    children: [
      { path: '', pathMatch: 'full', redirectTo: 'users' },
      {
        path: 'users',
        title: $localize`Users`,
        loadComponent: () => import('./users-page.js').then((it) => it.UsersPage),
      },
      {
        path: 'queues',
        title: $localize`Queues`,
        loadComponent: () => import('./queues-page.js').then((it) => it.QueuesPage),
      },
      {
        path: 'evaluators',
        title: $localize`Evaluators`,
        loadComponent: () => import('./evaluators-page.js').then((it) => it.EvaluatorsPage),
      },
      {
        path: 'sandboxes',
        title: $localize`Sandboxes`,
        loadComponent: () => import('./sandboxes-page.js').then((it) => it.SandboxesPage),
      },
      {
        path: 'storage',
        title: $localize`Storage`,
        loadComponent: () => import('./storage-page.js').then((it) => it.StoragePage),
      },
      {
        path: 'audit',
        title: $localize`Audit`,
        loadComponent: () => import('./audit-page.js').then((it) => it.AuditPage),
      },
    ],
  },
];
