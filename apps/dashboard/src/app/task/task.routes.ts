import type { Routes } from '@angular/router';
import { pageRoute } from '../page-route.js';
import { signedIn } from '../session/signed-in.guard.js';
import { TaskContext } from './task-context.js';

/** The routes within a task. They share its frame, and the task itself through `TaskContext`. */
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
      pageRoute('leaderboard', $localize`Leaderboard`, () =>
        import('../leaderboard/leaderboard-page.js').then((it) => it.LeaderboardPage),
      ),
      pageRoute('rounds', $localize`Rounds`, () => import('./rounds-page.js').then((it) => it.RoundsPage)),
      pageRoute('rounds/:number', $localize`Round`, () => import('./round-page.js').then((it) => it.RoundPage)),
      pageRoute('data', $localize`Data`, () => import('./data-page.js').then((it) => it.DataPage)),
      pageRoute('compare', $localize`Compare`, () => import('../compare/compare-page.js').then((it) => it.ComparePage)),
      pageRoute('models/:id', $localize`Model`, () => import('../model/model-page.js').then((it) => it.ModelPage)),
      {
        path: 'submit',
        title: $localize`Submit`,
        canActivate: [signedIn],
        loadComponent: () => import('../submit/submit-page.js').then((it) => it.SubmitPage),
      },
      {
        path: 'settings',
        loadChildren: () => import('../owner/settings.routes.js').then((it) => it.settingsRoutes),
      },
      {
        path: 'annotate',
        title: $localize`Annotate`,
        canActivate: [signedIn],
        loadComponent: () => import('../annotate/annotate-page.js').then((it) => it.AnnotatePage),
      },
      {
        path: 'validate',
        title: $localize`Validate`,
        canActivate: [signedIn],
        loadComponent: () => import('../validate/validate-page.js').then((it) => it.ValidatePage),
      },
      pageRoute('annotators', $localize`Annotators`, () =>
        import('../annotate/annotators-page.js').then((it) => it.AnnotatorsPage),
      ),
    ],
  },
];
