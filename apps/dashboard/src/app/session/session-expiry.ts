import { HttpErrorResponse, type HttpInterceptorFn } from '@angular/common/http';
import { inject } from '@angular/core';
import { catchError, from, switchMap, throwError } from 'rxjs';
import { SignInAgain } from './sign-in-again.js';

/**
 * A session that has ended is begun anew where its user is: a dialog asks them to sign in over the page, which keeps what they have
 * half written, and the request is sent again.
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
