import type { Routes } from '@angular/router';
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
      {
        path: 'leaderboard',
        title: $localize`Leaderboard`,
        loadComponent: () => import('../leaderboard/leaderboard-page.js').then((it) => it.LeaderboardPage),
      },
      {
        path: 'rounds',
        title: $localize`Rounds`,
        loadComponent: () => import('./rounds-page.js').then((it) => it.RoundsPage),
      },
      {
        path: 'rounds/:number',
        title: $localize`Round`,
        loadComponent: () => import('./round-page.js').then((it) => it.RoundPage),
      },
      {
        path: 'data',
        title: $localize`Data`,
        loadComponent: () => import('./data-page.js').then((it) => it.DataPage),
      },
      {
        path: 'compare',
        title: $localize`Compare`,
        loadComponent: () => import('../compare/compare-page.js').then((it) => it.ComparePage),
      },
      {
        path: 'models/:id',
        title: $localize`Model`,
        loadComponent: () => import('../model/model-page.js').then((it) => it.ModelPage),
      },
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
      {
        path: 'annotators',
        title: $localize`Annotators`,
        loadComponent: () => import('../annotate/annotators-page.js').then((it) => it.AnnotatorsPage),
      },
    ],
  },
];
