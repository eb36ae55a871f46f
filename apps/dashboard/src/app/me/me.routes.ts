import type { Routes } from '@angular/router';
import { pageRoute } from '../page-route.js';

/** The routes of the signed-in user's own pages, in a frame that lists them. */
export const meRoutes: Routes = [
  {
    path: '',
    loadComponent: () => import('./me-frame.js').then((it) => it.MeFrame),
    children: [
      { path: '', pathMatch: 'full', redirectTo: 'models' },
      pageRoute('models', $localize`Your models`, () => import('./models-page.js').then((it) => it.ModelsPage)),
      pageRoute('examples', $localize`Your examples`, () => import('./examples-page.js').then((it) => it.ExamplesPage)),
      pageRoute('badges', $localize`Your badges`, () => import('./badges-page.js').then((it) => it.BadgesPage)),
      pageRoute('notifications', $localize`Notifications`, () =>
        import('./notifications-page.js').then((it) => it.NotificationsPage),
      ),
      pageRoute('profile', $localize`Your profile`, () => import('./profile-page.js').then((it) => it.OwnProfilePage)),
      pageRoute('storage', $localize`Your storage`, () => import('./storage-page.js').then((it) => it.OwnStoragePage)),
      pageRoute('tokens', $localize`Your tokens`, () => import('./tokens-page.js').then((it) => it.TokensPage)),
      pageRoute('evaluators', $localize`Your evaluators`, () =>
        import('./evaluators-page.js').then((it) => it.OwnEvaluatorsPage),
      ),
      pageRoute('webhooks', $localize`Your webhooks`, () => import('./webhooks-page.js').then((it) => it.WebhooksPage)),
      pageRoute('sessions', $localize`Your sessions`, () => import('./sessions-page.js').then((it) => it.SessionsPage)),
      pageRoute('account', $localize`Your account`, () => import('./account-page.js').then((it) => it.AccountPage)),
    ],
  },
];
