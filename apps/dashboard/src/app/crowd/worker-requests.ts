import { HttpErrorResponse, type HttpInterceptorFn } from '@angular/common/http';
import { inject } from '@angular/core';
import { catchError, defer, from, switchMap, throwError } from 'rxjs';
import { WorkerSession } from './worker-session.js';

/**
 * Sends requests without cookies and with the token of the worker's session. If the token has
 * expired, continues the session with another one and repeats the request.
 */
export const workerRequests: HttpInterceptorFn = (request, next) => {
  const session = inject(WorkerSession);
  const hadToken = session.token !== null;
  const sent = defer(() =>
    next(
      request.clone({
        credentials: 'omit',
        ...(session.token !== null && { setHeaders: { authorization: `Bearer ${session.token}` } }),
      }),
    ),
  );
  return sent.pipe(
    catchError((error: unknown) => {
      const hasExpired = error instanceof HttpErrorResponse && error.status === 401 && hadToken;
      return hasExpired ? from(session.start()).pipe(switchMap(() => sent)) : throwError(() => error);
    }),
  );
};
