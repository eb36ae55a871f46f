import type { Routes } from '@angular/router';
import { pageRoute } from './page-route.js';
import { signedIn } from './session/signed-in.guard.js';

/** The routes of the dashboard. Pages, and the routes of features, load when first opened. */
export const routes: Routes = [
  { path: '', pathMatch: 'full', loadComponent: () => import('./home/home-page.js').then((it) => it.HomePage) },
  pageRoute('sign-in', $localize`Sign in`, () => import('./auth/sign-in-page.js').then((it) => it.SignInPage)),
  pageRoute('sign-in/username', $localize`Choose a user name`, () =>
    import('./auth/username-page.js').then((it) => it.UsernamePage),
  ),
  pageRoute('confirm-mail', $localize`Your mail address`, () =>
    import('./auth/confirm-mail-page.js').then((it) => it.ConfirmMailPage),
  ),
  pageRoute('register', $localize`Register`, () => import('./auth/register-page.js').then((it) => it.RegisterPage)),
  pageRoute('help', $localize`Help`, () => import('./help/help-page.js').then((it) => it.HelpPage)),
  {
    path: 'tasks/new',
    title: $localize`New task`,
    canActivate: [signedIn],
    loadComponent: () => import('./owner/new-task-page.js').then((it) => it.NewTaskPage),
  },
  {
    path: 'me',
    canActivate: [signedIn],
    loadChildren: () => import('./me/me.routes.js').then((it) => it.meRoutes),
  },
  {
    path: 'submit',
    title: $localize`Submit`,
    canActivate: [signedIn],
    loadComponent: () => import('./submit/choose-task-page.js').then((it) => it.ChooseTaskPage),
  },
  { path: 'tasks/:slug', loadChildren: () => import('./task/task.routes.js').then((it) => it.taskRoutes) },
  pageRoute('users/:username', $localize`Profile`, () =>
    import('./people/profile-page.js').then((it) => it.ProfilePage),
  ),
  pageRoute('embed/tasks/:slug/leaderboard', $localize`Leaderboard`, () =>
    import('./embed/embed-page.js').then((it) => it.EmbedPage),
  ),
  {
    path: 'admin',
    canActivate: [signedIn],
    loadChildren: () => import('./admin/admin.routes.js').then((it) => it.adminRoutes),
  },
  pageRoute('**', $localize`Not found`, () => import('./shell/not-found-page.js').then((it) => it.NotFoundPage)),
];
