import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Latencies in milliseconds, from the time at which a request was due to the last byte of its
 * response.
 */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  /** The number of requests. */
  readonly count: number;
}

/** The result of a load at a fixed rate. */
export interface OpenLoad extends Latencies {
  /**
   * The 99th percentile of the delay between due time and sending, in milliseconds: the part of the
   * latencies that is caused by the load generator itself or by other processes on its cores.
   */
  readonly lag: number;
  /** Latencies by kind, if the plan names kinds. */
  readonly byKind?: Readonly<Record<string, Latencies>>;
  /**
   * The number of responses by status, and of failures by code. `unreadable`: the response had no
   * content length.
   */
  readonly statuses: Readonly<Record<string, number>>;
  /**
   * Requests without a response after twice the duration of the load. They count with the time that
   * they have waited.
   */
  readonly unanswered: number;
  /** The mean length of a response body in bytes. */
  readonly bytes: number;
}

interface OpenLoadPlan {
  /** The URLs on one server, requested in rotation. */
  readonly addresses: readonly string[];
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** The kind of each URL. */
  readonly kinds?: readonly string[];
  /** Bearer tokens, sent in rotation. */
  readonly tokens?: readonly string[];
}

/**
 * Sends requests at a fixed rate from a separate process, regardless of outstanding responses (open
 * loop). The latency of a request starts at its due time.
 */
export async function openLoad(plan: OpenLoadPlan): Promise<OpenLoad> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'open-loop.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ connections: 256, headers: {}, ...plan }));
  const answer = await text(child.stdout);
  return JSON.parse(answer) as OpenLoad;
}
