import type { Routes } from '@angular/router';

export const helpRoutes: Routes = [
  { path: '', title: $localize`Help`, loadComponent: () => import('./help-page.js').then((it) => it.HelpPage) },
];
