import type { Routes } from '@angular/router';

/** The routes of the signed-in user's own pages, in a frame that lists them. */
export const meRoutes: Routes = [
  {
    path: '',
    loadComponent: () => import('./me-frame.js').then((it) => it.MeFrame),
    children: [
      { path: '', pathMatch: 'full', redirectTo: 'models' },
      {
        path: 'models',
        title: $localize`Your models`,
        loadComponent: () => import('./models-page.js').then((it) => it.ModelsPage),
      },
      {
        path: 'examples',
        title: $localize`Your examples`,
        loadComponent: () => import('./examples-page.js').then((it) => it.ExamplesPage),
      },
      {
        path: 'badges',
        title: $localize`Your badges`,
        loadComponent: () => import('./badges-page.js').then((it) => it.BadgesPage),
      },
      {
        path: 'notifications',
        title: $localize`Notifications`,
        loadComponent: () => import('./notifications-page.js').then((it) => it.NotificationsPage),
      },
      {
        path: 'profile',
        title: $localize`Your profile`,
        loadComponent: () => import('./profile-page.js').then((it) => it.OwnProfilePage),
      },
      {
        path: 'storage',
        title: $localize`Your storage`,
        loadComponent: () => import('./storage-page.js').then((it) => it.OwnStoragePage),
      },
      {
        path: 'tokens',
        title: $localize`Your tokens`,
        loadComponent: () => import('./tokens-page.js').then((it) => it.TokensPage),
      },
      {
        path: 'webhooks',
        title: $localize`Your webhooks`,
        loadComponent: () => import('./webhooks-page.js').then((it) => it.WebhooksPage),
      },
      {
        path: 'sessions',
        title: $localize`Your sessions`,
        loadComponent: () => import('./sessions-page.js').then((it) => it.SessionsPage),
      },
      {
        path: 'account',
        title: $localize`Your account`,
        loadComponent: () => import('./account-page.js').then((it) => it.AccountPage),
      },
    ],
  },
];
