import { inject } from '@angular/core';
import { type CanActivateFn, Router } from '@angular/router';
import { Session } from './session.js';

/** Redirects anonymous users to the sign-in page, which returns them to the requested page. */
export const signedIn: CanActivateFn = async (_route, { url }) => {
  const [session, router] = [inject(Session), inject(Router)];
  if (await session.whoIsThere()) return true;
  return router.createUrlTree(['/sign-in'], { queryParams: { next: url } });
};
