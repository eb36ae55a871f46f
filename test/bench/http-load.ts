import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runNode } from '../../scripts/command.js';

/** Connections of the load. */
export const CONNECTIONS = 20;

/** Milliseconds from when a request was due to the last byte of its answer. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  /** Requests. */
  readonly count: number;
}

/** What a load at a fixed rate met. */
export interface OpenLoad extends Latencies {
  /** Milliseconds by which requests were asked later than they were due, p99: what of their times is the load's own, or of who shares its cores. */
  readonly lag: number;
  /** Where the plan names kinds. */
  readonly byKind?: Readonly<Record<string, Latencies>>;
  /** How many answers were of each status, or failed with each code; `unreadable`: the answer did not say how long it is. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests without an answer after twice the time of the load; they count with the time that they have waited. */
  readonly unanswered: number;
  /** Of the mean answer's body. */
  readonly bytes: number;
}

interface OpenLoadPlan {
  /** Of one server; asked for one after the other, and again from the first. */
  readonly addresses: readonly string[];
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Of each address. */
  readonly kinds?: readonly string[];
  /** Sent in rotation, as whoever asks. */
  readonly tokens?: readonly string[];
}

/**
 * Requests at a fixed rate from a process of its own, whether or not answers have come; a request's time begins when it was due. Not
 * autocannon's `--overallRate`: that sends each second's requests as fast as it can, one after the answer to the other.
 */
export async function openLoad(plan: OpenLoadPlan): Promise<OpenLoad> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'open-loop.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ connections: 256, headers: {}, ...plan }));
  const answer = await text(child.stdout);
  return JSON.parse(answer) as OpenLoad;
}

/** Answers a second that as many connections get that ask again when they are answered (autocannon, a process of its own). */
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

/** A bare Fastify route in a process of its own, which sends the bytes of a file. */
export class BareRoute {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  /** @param encoding in which the bytes are, as the answer says */
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
