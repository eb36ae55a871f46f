import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runNode } from '../../scripts/command.js';

/** The number of connections of the closed load. */
export const CONNECTIONS = 20;

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
 * loop). The latency of a request starts at its due time. autocannon's `--overallRate` is no
 * substitute: it sends each second's requests as fast as it can, each one after the previous
 * response.
 */
export async function openLoad(plan: OpenLoadPlan): Promise<OpenLoad> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'open-loop.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ connections: 256, headers: {}, ...plan }));
  const answer = await text(child.stdout);
  return JSON.parse(answer) as OpenLoad;
}

/**
 * Returns the responses per second that `CONNECTIONS` connections achieve if each sends its next
 * request after a response (closed loop; autocannon in a separate process).
 */
export async function closedLoad(
  address: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const options = ['-j', '-n', '-c', String(CONNECTIONS), '-d', String(seconds)];
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const { code, output, stdout } = await runNode([
    'node_modules/autocannon/autocannon.js',
    ...options,
    ...named,
    address,
  ]);
  if (code !== 0) throw new Error(output);
  const result = JSON.parse(stdout) as AutocannonResult;
  const { errors, timeouts } = result;
  const refused = result['4xx'] + result['5xx'];
  if (errors + timeouts + refused > 0) throw new Error(`${errors} errors, ${timeouts} timeouts, ${refused} refused`);
  return result.requests.average;
}

interface AutocannonResult {
  readonly requests: { readonly average: number };
  readonly errors: number;
  readonly timeouts: number;
  readonly '4xx': number;
  readonly '5xx': number;
}

/** A bare Fastify route in a separate process that sends the bytes of a file. */
export class BareRoute {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  /** @param encoding The content encoding of the bytes. */
  static async start(file: string, etag: string, encoding: string): Promise<BareRoute> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-route.mjs'), file, etag, encoding], {
      cwd: join(import.meta.dirname, '../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return new BareRoute(child, `http://127.0.0.1:${port.toString().trim()}/`);
  }

  get pid(): number {
    return this.child.pid!;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }
}
