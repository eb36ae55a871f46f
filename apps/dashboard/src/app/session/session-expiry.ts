import { HttpErrorResponse, type HttpInterceptorFn } from '@angular/common/http';
import { inject } from '@angular/core';
import { catchError, from, switchMap, throwError } from 'rxjs';
import { SignInAgain } from './sign-in-again.js';

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
