import { inject } from '@angular/core';
import { type CanActivateFn, Router } from '@angular/router';
import { Session } from './session.js';

/** Pages of somebody: who is not signed in comes back to them after signing in. */
export const signedIn: CanActivateFn = async (_route, { url }) => {
  const [session, router] = [inject(Session), inject(Router)];
  if (await session.whoIsThere()) return true;
  return router.createUrlTree(['/sign-in'], { queryParams: { next: url } });
};
