import { LONGEST_POLL_SECONDS } from '@assay/contracts/gateway';
import { Logger } from '@nestjs/common';
import type { z } from 'zod';
import { ChangedWarnings } from './changed-warnings.js';
import { PROTOCOL } from './protocol.js';
import { GrowingDelays } from './retries.js';
import type { ServiceClient } from './service-client.js';
import { untilAccepted } from './until-accepted.js';

/** Seconds that the response may be late. */
const LATE_SECONDS = 15;

export interface LeaseRequestsParts {
  readonly client: ServiceClient;
  /** Throws if this host cannot run models now. */
  readonly expectAble?: () => Promise<unknown>;
}

/** Where leases are requested, and the form of the response. */
export interface LeaseRoute<T> {
  readonly path: string;
  /** Returns the fields of the next request besides the protocol. Default for the time to wait: the longest. */
  readonly fields?: () => object;
  readonly offer: z.ZodType<T>;
}

/** Asks the service for work, until the evaluator leaves. */
export class LeaseRequests {
  private readonly logger = new Logger(LeaseRequests.name);
  private readonly refusals = new ChangedWarnings(this.logger);
  private readonly unable = new ChangedWarnings(this.logger);

  constructor(
    private readonly parts: LeaseRequestsParts,
    /** Aborted when the evaluator leaves. */
    private readonly leaving: AbortSignal,
  ) {}

  /** Requests leases, one after the other. `take` returns when the next one may be requested. */
  async repeat<T>(route: LeaseRoute<T>, take: (offer: T) => Promise<void>): Promise<void> {
    const delays = new GrowingDelays();
    while (!this.leaving.aborted) {
      try {
        await this.untilAble();
        await take(await this.offer(route));
        delays.reset();
      } catch (error) {
        if (this.leaving.aborted) return;
        this.logger.error({ message: 'the evaluator failed between two leases', err: error });
        await delays.wait(this.leaving).catch(() => undefined);
      }
    }
  }

  private offer<T>({ path, fields, offer }: LeaseRoute<T>): Promise<T> {
    const body = { protocol: PROTOCOL, waitSeconds: LONGEST_POLL_SECONDS, ...fields?.() };
    const request = { method: 'POST', path, body, silentSeconds: LONGEST_POLL_SECONDS + LATE_SECONDS } as const;
    return untilAccepted(() => this.parts.client.request(request, offer, this.leaving), this.refusals, this.leaving);
  }

  /** Waits until this host can run models, so that the work loses no attempt. */
  private async untilAble(): Promise<void> {
    const delays = new GrowingDelays();
    for (;;) {
      try {
        await this.parts.expectAble?.();
        this.unable.clear();
        return;
      } catch (error) {
        this.unable.warn(`this host cannot run models now: ${(error as Error).message}`);
        await delays.wait(this.leaving);
      }
    }
  }
}
