import type { Routes } from '@angular/router';
import { deskFormFields } from './form-fields.js';

/** What the owners of a task change, a page each. */
export const settingsRoutes: Routes = [
  {
    path: '',
    providers: [deskFormFields],
    loadComponent: () => import('./settings-frame.js').then((it) => it.SettingsFrame),
    children: [
      { path: '', pathMatch: 'full', redirectTo: 'definition' },
      {
        path: 'definition',
        title: $localize`Definition`,
        loadComponent: () => import('./definition/definition-page.js').then((it) => it.DefinitionPage),
      },
    ],
  },
];
