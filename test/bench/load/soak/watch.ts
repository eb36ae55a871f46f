import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { emptied, type Kept } from '../../../factories/measurement/collected-memory.js';
import type { ServiceWorld } from '../../../factories/worlds/service-world.js';
import { MIB } from '../../process-memory.js';
import { treeUse } from '../process-tree.js';
import { clientConnections } from './client-connections.js';

/** The state of the service at one moment, and its work since the previous sample. */
export interface SoakSample {
  /** Seconds since the start of the soak. */
  readonly seconds: number;
  readonly apiMiB: number;
  readonly workerMiB: number;
  readonly evaluatorMiB: number;
  /**
   * The resident memory after a full garbage collection, with V8's free memory released; null if
   * there was no collection.
   */
  readonly apiRetainedMiB: number | null;
  readonly workerRetainedMiB: number | null;
  readonly evaluatorRetainedMiB: number | null;
  /** The memory that V8 holds after that: its used heap and the external memory of its objects. */
  readonly apiHeldMiB: number | null;
  readonly workerHeldMiB: number | null;
  readonly evaluatorHeldMiB: number | null;
  /** Open files, excluding client connections, whose number the clients determine. */
  readonly apiFiles: number;
  readonly workerFiles: number;
  readonly evaluatorFiles: number;
  /** Client connections to the API, including idle persistent ones. */
  readonly clients: number;
  /** Connections to the database. */
  readonly connections: number;
  /** Successful operations per second. */
  readonly throughput: number;
  /** The latencies of reads in milliseconds; null if there were none. */
  readonly readP50: number | null;
  readonly readP99: number | null;
  readonly errors: number;
}

/** The results of a soak's operations. */
export class SoakTally {
  readonly errors: string[] = [];
  readonly counts = new Map<string, number>();
  private times: number[] = [];
  private answered = 0;

  /** Runs one operation and records its result. */
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

  /** Returns the figures since the previous call. */
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

/** Formats an error with its causes, which say more than the ends of the logs. */
function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` (${inWords(error.cause)})`;
  return `${error.message.slice(0, 500)}${cause}`;
}

/**
 * Milliseconds for which resident memory is sampled after a garbage collection. The collection
 * itself takes up to half a second.
 */
const COLLECTED = 2000;

export interface SoakWatch {
  /** Seconds between two samples. */
  readonly seconds: number;
  /** Seconds between two garbage collections. */
  readonly collectSeconds: number;
  readonly signal: AbortSignal;
}

/**
 * Samples the service at a fixed interval until the signal. API, worker and evaluator must be `COLLECTING`
 * processes.
 */
export async function watchSoak(
  world: ServiceWorld,
  tally: SoakTally,
  { seconds, collectSeconds, signal }: SoakWatch,
): Promise<readonly SoakSample[]> {
  const client = new Client({ connectionString: world.databaseUrl, application_name: 'soak' });
  await client.connect();
  const samples: SoakSample[] = [];
  const retainedBy = (pid: number): Promise<Kept> => emptied(pid, COLLECTED);
  const port = Number(new URL(world.url).port);
  const started = performance.now();
  try {
    let collections = 1;
    for (let last = started; !signal.aborted;) {
      await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
      const pids = [world.api.pid, world.worker.pid, world.evaluator.pid] as const;
      const clients = clientConnections(port);
      const [api, worker, evaluator] = [treeUse(pids[0]), treeUse(pids[1]), treeUse(pids[2])];
      const isDue = performance.now() - started >= collections * collectSeconds * 1000;
      const [apiRetained, workerRetained, evaluatorRetained] = isDue ? await Promise.all(pids.map(retainedBy)) : [];
      if (isDue) collections++;
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
          where datname = current_database() and application_name <> 'soak'`,
      );
      const now = performance.now();
      samples.push({
        seconds: (now - started) / 1000,
        apiMiB: api.rss / MIB,
        workerMiB: worker.rss / MIB,
        evaluatorMiB: evaluator.rss / MIB,
        apiRetainedMiB: mebibytes(apiRetained?.resident),
        workerRetainedMiB: mebibytes(workerRetained?.resident),
        evaluatorRetainedMiB: mebibytes(evaluatorRetained?.resident),
        apiHeldMiB: mebibytes(apiRetained?.held),
        workerHeldMiB: mebibytes(workerRetained?.held),
        evaluatorHeldMiB: mebibytes(evaluatorRetained?.held),
        apiFiles: api.openFiles - clients,
        workerFiles: worker.openFiles,
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
