import type { Routes } from '@angular/router';
import { pageRoute } from '../page-route.js';

/** The administration pages, in a frame with navigation. */
export const adminRoutes: Routes = [
  {
    path: '',
    loadComponent: () => import('./admin-frame.js').then((it) => it.AdminFrame),
    children: [
      { path: '', pathMatch: 'full', redirectTo: 'users' },
      pageRoute('users', $localize`Users`, () => import('./users-page.js').then((it) => it.UsersPage)),
      pageRoute('queues', $localize`Queues`, () => import('./queues-page.js').then((it) => it.QueuesPage)),
      pageRoute('evaluators', $localize`Evaluators`, () =>
        import('./evaluators-page.js').then((it) => it.EvaluatorsPage),
      ),
      pageRoute('sandboxes', $localize`Sandboxes`, () => import('./sandboxes-page.js').then((it) => it.SandboxesPage)),
      pageRoute('storage', $localize`Storage`, () => import('./storage-page.js').then((it) => it.StoragePage)),
      pageRoute('audit', $localize`Audit`, () => import('./audit-page.js').then((it) => it.AuditPage)),
    ],
  },
];
