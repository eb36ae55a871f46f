import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { emptied, type Kept } from '../../../factories/collected-memory.js';
import type { ServiceWorld } from '../../../factories/service-world.js';
import { MIB } from '../../process-memory.js';
import { treeUse } from '../process-tree.js';
import { clientConnections } from './client-connections.js';

/** What the service has at one moment, and what it did since the last. */
export interface SoakSample {
  /** Since the soak began. */
  readonly seconds: number;
  readonly apiMiB: number;
  readonly evaluatorMiB: number;
  /** Resident after a full collection of garbage, less what V8 had at hand; null where none was made. */
  readonly apiKeptMiB: number | null;
  readonly evaluatorKeptMiB: number | null;
  /** What V8 holds after that: its heap, and what objects in it hold outside. */
  readonly apiHeldMiB: number | null;
  readonly evaluatorHeldMiB: number | null;
  /** Open, but for the connections that clients hold: how many those are, clients decide. */
  readonly apiFiles: number;
  readonly evaluatorFiles: number;
  /** Clients' to the API, those included that they keep for what they may ask next. */
  readonly clients: number;
  /** To the database. */
  readonly connections: number;
  /** Operations a second that were answered. */
  readonly throughput: number;
  /** Of what was read: milliseconds; null where nothing was. */
  readonly readP50: number | null;
  readonly readP99: number | null;
  readonly errors: number;
}

/** What the operations of a soak say of themselves. */
export class SoakTally {
  readonly errors: string[] = [];
  readonly counts = new Map<string, number>();
  private times: number[] = [];
  private answered = 0;

  /** Counts one operation and what became of it. */
  async of(kind: string, work: () => Promise<unknown>): Promise<void> {
    const started = performance.now();
    try {
      await work();
      this.answered++;
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      if (kind === 'read') this.times.push(performance.now() - started);
    } catch (error) {
      this.errors.push(`${kind}: ${inWords(error)}`);
    }
  }

  /** Of what was done since this was last asked. */
  take(seconds: number): Pick<SoakSample, 'throughput' | 'readP50' | 'readP99' | 'errors'> {
    const sorted = this.times.sort((a, b) => a - b);
    const at = (share: number): number | null => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
    const taken = {
      throughput: this.answered / seconds,
      readP50: at(0.5),
      readP99: at(0.99),
      errors: this.errors.length,
    };
    this.times = [];
    this.answered = 0;
    return taken;
  }
}

/** With what it came of: that says more than the ends of the logs. */
function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` (${inWords(error.cause)})`;
  return `${error.message.slice(0, 500)}${cause}`;
}

/** Milliseconds for which what is resident after a collection of garbage is looked at: it takes up to half a second itself. */
const COLLECTED = 2000;

export interface SoakWatch {
  /** Between two looks. */
  readonly seconds: number;
  /** Between two collections of garbage. */
  readonly collectSeconds: number;
  readonly signal: AbortSignal;
}

/** Looks at everything every so many seconds until the signal. API and evaluator are `COLLECTING`. */
export async function watchSoak(
  world: ServiceWorld,
  tally: SoakTally,
  { seconds, collectSeconds, signal }: SoakWatch,
): Promise<readonly SoakSample[]> {
  const client = new Client({ connectionString: world.databaseUrl, application_name: 'soak' });
  await client.connect();
  const samples: SoakSample[] = [];
  const keptBy = (pid: number): Promise<Kept> => emptied(pid, COLLECTED, world.temporary);
  const port = Number(new URL(world.url).port);
  const started = performance.now();
  try {
    let collections = 1;
    for (let last = started; !signal.aborted;) {
      await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
      const pids = [world.api.pid, world.evaluator.pid] as const;
      const [api, evaluator, clients] = [treeUse(pids[0]), treeUse(pids[1]), clientConnections(port)];
      const isDue = performance.now() - started >= collections * collectSeconds * 1000;
      const [apiKept, evaluatorKept] = isDue ? await Promise.all(pids.map(keptBy)) : [];
      if (isDue) collections++;
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name <> 'soak'`,
      );
      const now = performance.now();
      samples.push({
        seconds: (now - started) / 1000,
        apiMiB: api.rss / MIB,
        evaluatorMiB: evaluator.rss / MIB,
        apiKeptMiB: mebibytes(apiKept?.resident),
        evaluatorKeptMiB: mebibytes(evaluatorKept?.resident),
        apiHeldMiB: mebibytes(apiKept?.held),
        evaluatorHeldMiB: mebibytes(evaluatorKept?.held),
        apiFiles: api.openFiles - clients,
        evaluatorFiles: evaluator.openFiles,
        clients,
        connections: rows[0]!.count,
        ...tally.take((now - last) / 1000),
      });
      last = now;
    }
  } finally {
    await client.end();
  }
  return samples;
}

const mebibytes = (bytes: number | undefined): number | null => (bytes === undefined ? null : bytes / MIB);
