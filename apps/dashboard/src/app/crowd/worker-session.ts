import { HttpErrorResponse, type HttpInterceptorFn } from '@angular/common/http';
import { inject, Injectable, signal } from '@angular/core';
import {
  type CrowdOffer,
  type CrowdSession,
  crowdsessionsCurrent,
  crowdsessionsFinish,
  crowdsessionsOffer,
  crowdsessionsOnboard,
  crowdsessionsStart,
  type GivenLabel,
} from '@assay/api-client/angular';
import { catchError, defer, from, switchMap, throwError } from 'rxjs';
import { JOB_ADDRESS } from './job-address.js';

/**
 * The session of a crowd worker: one assignment of the platform. Its token stays in memory and is
 * lost with the page. All methods throw the problem of the API.
 */
@Injectable({ providedIn: 'root' })
export class WorkerSession {
  private readonly address = inject(JOB_ADDRESS);
  private readonly secret = browserSecret(() => localStorage);
  private readonly current = signal<CrowdSession | null>(null);
  private bearer: string | null = null;

  /** The state as of the last response. Null before the session is started. */
  readonly state = this.current.asReadonly();

  /** The token that authenticates requests. Null if there is none. */
  get token(): string | null {
    return this.bearer;
  }

  async offer(): Promise<CrowdOffer> {
    const { data } = await crowdsessionsOffer({ path: { link: this.address.link } });
    return data;
  }

  /** Starts the session, or continues it with a new token. */
  async start(): Promise<void> {
    const { link, ids } = this.address;
    this.bearer = null;
    const { data } = await crowdsessionsStart({ body: { link, secret: this.secret, ...ids } });
    this.bearer = data.token;
    this.current.set(data.session);
  }

  async refresh(): Promise<void> {
    this.current.set((await crowdsessionsCurrent()).data);
  }

  async answerTest(answers: GivenLabel[]): Promise<void> {
    this.current.set((await crowdsessionsOnboard({ body: { answers } })).data);
  }

  /** @param early true if not all examples are written */
  async finish(early: boolean): Promise<void> {
    this.current.set((await crowdsessionsFinish({ body: { early } })).data);
  }
}

const STORED = 'assay-crowd-secret';
const BYTES = 32;

/**
 * Returns the secret that proves that this browser started an assignment, because others may know
 * the platform's IDs. It is stored for as long as the browser allows. If the browser refuses storage
 * in a frame, the secret is lost with the page.
 * @param storage returns `localStorage`; reading that property throws where storage is refused
 */
export function browserSecret(storage: () => Pick<Storage, 'getItem' | 'setItem'>): string {
  const fresh = [...crypto.getRandomValues(new Uint8Array(BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  try {
    const stored = storage().getItem(STORED);
    if (stored !== null) return stored;
    storage().setItem(STORED, fresh);
  } catch {
    // no storage in this frame
  }
  return fresh;
}

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
