import { HttpErrorResponse, type HttpInterceptorFn } from '@angular/common/http';
import { inject, Injectable, Injector } from '@angular/core';
import { catchError, firstValueFrom, from, switchMap, throwError } from 'rxjs';
import { Session } from './session.js';

/**
 * Asks a user whose session has expired to sign in again. Opens one dialog for all requests that
 * fail.
 */
@Injectable({ providedIn: 'root' })
export class SignInAgain {
  private readonly injector = inject(Injector);
  private asked: Promise<boolean> | undefined;

  /** Returns whether a 401 for this URL means an expired session, as opposed to no session. */
  isExpected(url: string): boolean {
    return !url.includes('/api/v1/auth/') && !!this.injector.get(Session).user();
  }

  /** Resolves to true if the user has signed in again. Concurrent calls share one dialog. */
  ask(): Promise<boolean> {
    return (this.asked ??= this.openDialog().finally(() => (this.asked = undefined)));
  }

  private async openDialog(): Promise<boolean> {
    const [{ MatDialog }, { SignInDialog }] = await Promise.all([
      import('@angular/material/dialog'),
      import('../auth/sign-in-dialog.js'),
    ]);
    const dialog = this.injector.get(MatDialog).open(SignInDialog, { disableClose: true, width: '400px' });
    return (await firstValueFrom(dialog.afterClosed())) === true;
  }
}

/**
 * Handles an expired session without leaving the page: a dialog over the page asks the user to sign
 * in again, then the request is repeated. Unsaved input on the page survives.
 */
export const sessionExpiry: HttpInterceptorFn = (request, next) => {
  const again = inject(SignInAgain);
  return next(request).pipe(
    catchError((error: unknown) => {
      const isExpired = error instanceof HttpErrorResponse && error.status === 401 && again.isExpected(request.url);
      if (!isExpired) return throwError(() => error);
      return from(again.ask()).pipe(switchMap((done) => (done ? next(request) : throwError(() => error))));
    }),
  );
};
