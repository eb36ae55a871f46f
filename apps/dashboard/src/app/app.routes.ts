import type { Routes } from '@angular/router';
import { signedIn } from './session/signed-in.guard.js';

/** The routes of the dashboard. Pages, and the routes of features, load when first opened. */
export const routes: Routes = [
  { path: '', pathMatch: 'full', loadComponent: () => import('./home/home-page.js').then((it) => it.HomePage) },
  {
    path: 'sign-in',
    title: $localize`Sign in`,
    loadComponent: () => import('./auth/sign-in-page.js').then((it) => it.SignInPage),
  },
  {
    path: 'sign-in/username',
    title: $localize`Choose a user name`,
    loadComponent: () => import('./auth/username-page.js').then((it) => it.UsernamePage),
  },
  {
    path: 'confirm-mail',
    title: $localize`Your mail address`,
    loadComponent: () => import('./auth/confirm-mail-page.js').then((it) => it.ConfirmMailPage),
  },
  {
    path: 'register',
    title: $localize`Register`,
    loadComponent: () => import('./auth/register-page.js').then((it) => it.RegisterPage),
  },
  {
    path: 'help',
    title: $localize`Help`,
    loadComponent: () => import('./help/help-page.js').then((it) => it.HelpPage),
  },
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
  {
    path: 'users/:username',
    title: $localize`Profile`,
    loadComponent: () => import('./people/profile-page.js').then((it) => it.ProfilePage),
  },
  {
    path: 'embed/tasks/:slug/leaderboard',
    title: $localize`Leaderboard`,
    loadComponent: () => import('./embed/embed-page.js').then((it) => it.EmbedPage),
  },
  {
    path: 'admin',
    canActivate: [signedIn],
    loadChildren: () => import('./admin/admin.routes.js').then((it) => it.adminRoutes),
  },
  {
    path: '**',
    title: $localize`Not found`,
    loadComponent: () => import('./shell/not-found-page.js').then((it) => it.NotFoundPage),
  },
];
