import type { Routes } from '@angular/router';
import { pageRoute } from '../page-route.js';
import { deskFormFields } from '../ui/fields/form-field.js';

/** The routes of the settings pages of a task. */
export const settingsRoutes: Routes = [
  {
    path: '',
    providers: [deskFormFields],
    loadComponent: () => import('./settings-frame.js').then((it) => it.SettingsFrame),
    children: [
      { path: '', pathMatch: 'full', redirectTo: 'definition' },
      pageRoute('definition', $localize`Definition`, () =>
        import('./definition/definition-page.js').then((it) => it.DefinitionPage),
      ),
      pageRoute('datasets', $localize`Datasets`, () =>
        import('./datasets/datasets-page.js').then((it) => it.DatasetsPage),
      ),
      pageRoute('benchmark', $localize`Benchmark versions`, () =>
        import('./benchmark/benchmark-page.js').then((it) => it.BenchmarkPage),
      ),
      pageRoute('loop', $localize`Loop`, () => import('./loop/loop-page.js').then((it) => it.LoopPage)),
      pageRoute('weights', $localize`Weights`, () => import('./weights/weights-page.js').then((it) => it.WeightsPage)),
      pageRoute('rounds', $localize`Rounds`, () => import('./rounds/rounds-page.js').then((it) => it.RoundsPage)),
      pageRoute('plan', $localize`Next round`, () => import('./plan/plan-page.js').then((it) => it.PlanPage)),
      pageRoute('people', $localize`People`, () => import('./people/people-page.js').then((it) => it.PeoplePage)),
      pageRoute('crowd', $localize`Crowd`, () => import('./crowd/crowd-page.js').then((it) => it.CrowdPage)),
    ],
  },
];
