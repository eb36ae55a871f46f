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
import { browserSecret } from './browser-secret.js';
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
