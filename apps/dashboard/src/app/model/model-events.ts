import type { Estimate, Failure, Model } from '@assay/api-client/angular';
import { defer, Observable, retry, timer } from 'rxjs';

export type ModelState = Model['state'];
export type Perturbation = NonNullable<Model['evaluations'][number]['perturbation']>;

/** The progress of a run on a dataset, or on its perturbed version. */
export interface DatasetProgress {
  readonly dataset: string;
  readonly perturbation?: Perturbation;
  /** The number of examples answered, out of `total`. */
  readonly done: number;
  readonly total: number;
  readonly examplesPerSecond: number;
}

/** A server-sent event of a model. */
export type ModelEvent =
  | { readonly type: 'state'; readonly state: ModelState; readonly failure?: Failure }
  | ({ readonly type: 'progress' } & DatasetProgress)
  | {
      readonly type: 'score';
      readonly dataset: string;
      readonly perturbation?: Perturbation;
      readonly metrics: Readonly<Record<string, Estimate>>;
    };

/** An event of a model, or a sign that the connection is alive, every few seconds. */
export type StreamEvent = ModelEvent | { readonly type: 'ping' };

const TYPES = ['state', 'progress', 'score', 'ping'] as const;

/** Milliseconds between attempts to reconnect after the service refused the connection. */
const PAUSES = [1000, 2000, 5000, 10_000, 10_000, 10_000];

export const isFinal = (state: ModelState): boolean =>
  state === 'scored' || state === 'failed' || state === 'cancelled';

/**
 * Follows the events of a model until a final state. Reconnects after an interruption. The first
 * event of each connection reports the current state.
 */
export function modelEvents(id: string): Observable<StreamEvent> {
  return defer(() => eventsOnce(`/api/v1/models/${encodeURIComponent(id)}/events`)).pipe(
    retry({ count: PAUSES.length, delay: (_, attempt) => timer(PAUSES[attempt - 1]!), resetOnSuccess: true }),
  );
}

function eventsOnce(address: string): Observable<StreamEvent> {
  return new Observable((subscriber) => {
    const source = new EventSource(address);
    for (const type of TYPES) {
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        const event = { type, ...(JSON.parse(data) as object) } as StreamEvent;
        subscriber.next(event);
        if (event.type === 'state' && isFinal(event.state)) subscriber.complete();
      });
    }
    source.onerror = () => {
      // the browser reconnects after an interruption, but not after a refusal
      if (source.readyState === EventSource.CLOSED) subscriber.error(new Error('The events were refused.'));
    };
    return () => source.close();
  });
}
