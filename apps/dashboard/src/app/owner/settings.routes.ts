import type { Routes } from '@angular/router';
import { deskFormFields } from '../ui/fields/form-field.js';

/** The routes of the settings pages of a task. */
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
      {
        path: 'datasets',
        title: $localize`Datasets`,
        loadComponent: () => import('./datasets/datasets-page.js').then((it) => it.DatasetsPage),
      },
      {
        path: 'benchmark',
        title: $localize`Benchmark versions`,
        loadComponent: () => import('./benchmark/benchmark-page.js').then((it) => it.BenchmarkPage),
      },
      {
        path: 'loop',
        title: $localize`Loop`,
        loadComponent: () => import('./loop/loop-page.js').then((it) => it.LoopPage),
      },
      {
        path: 'weights',
        title: $localize`Weights`,
        loadComponent: () => import('./weights/weights-page.js').then((it) => it.WeightsPage),
      },
      {
        path: 'rounds',
        title: $localize`Rounds`,
        loadComponent: () => import('./rounds/rounds-page.js').then((it) => it.RoundsPage),
      },
      {
        path: 'people',
        title: $localize`People`,
        loadComponent: () => import('./people/people-page.js').then((it) => it.PeoplePage),
      },
      {
        path: 'crowd',
        title: $localize`Crowd`,
        loadComponent: () => import('./crowd/crowd-page.js').then((it) => it.CrowdPage),
      },
    ],
  },
];
