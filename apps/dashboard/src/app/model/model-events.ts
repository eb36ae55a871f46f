import { defer, Observable, retry, timer } from 'rxjs';
import type { Estimate, Failure, Model } from '../../client/types.gen.js';

export type ModelState = Model['state'];
export type Perturbation = NonNullable<Model['evaluations'][number]['perturbation']>;

/** How far a run is with a dataset, or with its perturbed version. */
export interface DatasetProgress {
  readonly dataset: string;
  readonly perturbation?: Perturbation;
  /** Examples. */
  readonly done: number;
  readonly total: number;
  readonly examplesPerSecond: number;
}

/** What the events of a model carry. */
export type ModelEvent =
  | { readonly type: 'state'; readonly state: ModelState; readonly failure?: Failure }
  | ({ readonly type: 'progress' } & DatasetProgress)
  | {
      readonly type: 'score';
      readonly dataset: string;
      readonly perturbation?: Perturbation;
      readonly metrics: Readonly<Record<string, Estimate>>;
    };

const TYPES = ['state', 'progress', 'score'] as const;

/** Between attempts to hear again from a service that turned the browser away, in milliseconds. */
const PAUSES = [1000, 2000, 5000, 10_000, 10_000, 10_000];

export const isFinal = (state: ModelState): boolean =>
  state === 'scored' || state === 'failed' || state === 'cancelled';

/** What happens to a model, until a final state. A cut is mended; the first event after it says how things stand. */
export function modelEvents(id: string): Observable<ModelEvent> {
  return defer(() => eventsOnce(`/api/v1/models/${encodeURIComponent(id)}/events`)).pipe(
    retry({ count: PAUSES.length, delay: (_, attempt) => timer(PAUSES[attempt - 1]!), resetOnSuccess: true }),
  );
}

function eventsOnce(address: string): Observable<ModelEvent> {
  return new Observable((subscriber) => {
    const source = new EventSource(address);
    for (const type of TYPES) {
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        const event = { type, ...(JSON.parse(data) as object) } as ModelEvent;
        subscriber.next(event);
        if (event.type === 'state' && isFinal(event.state)) subscriber.complete();
      });
    }
    source.onerror = () => {
      // a cut is mended by the browser itself, a refusal is not
      if (source.readyState === EventSource.CLOSED) subscriber.error(new Error('The events were refused.'));
    };
    return () => source.close();
  });
}
