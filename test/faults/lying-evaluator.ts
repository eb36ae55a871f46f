import type { LeasedRunView } from '@assay/contracts/gateway';
import { until } from '../factories/until.js';
import type { ServiceWorld } from '../factories/worlds/service-world.js';
import type { RemoteClient, RemoteRequest, RemoteResponse } from './remote-client.js';
import type { RemoteHosts } from './remote-hosts.js';

const LINES = 'application/x-ndjson';
const HOST = { architecture: 'amd64', cpus: 8, memoryBytes: 2 ** 34, runtimes: ['runc', 'runsc'] };
const PRESENCE = { protocol: 2, version: '0.1.0', host: HOST, slots: 1 };
const LEASE = { protocol: 2, stage: 'evaluation', waitSeconds: 0 };

/** The claim of a run that a request names. */
export interface NamedRun {
  readonly id: string;
  readonly fence: number;
}

/** A registered evaluator on a host, of which only the token is real: it says whatever a test wants. */
export class LyingEvaluator {
  /** The bodies of all responses so far. */
  readonly received: string[] = [];

  private constructor(private readonly client: RemoteClient) {}

  /** Registers an evaluator that sends its requests from the host at this place. */
  static async register(world: ServiceWorld, remote: RemoteHosts, place: number): Promise<LyingEvaluator> {
    const { body } = await world.expect(201, 'POST', '/evaluators', { token: world.admin, body: { name: 'liar' } });
    return new LyingEvaluator(remote.startClient(place, body.token as string));
  }

  /** Leases the next evaluation. Waits until one is queued. */
  async lease(): Promise<LeasedRunView> {
    let run: LeasedRunView | null = null;
    await until(async () => {
      await this.ask('PUT', '/presence', { json: PRESENCE });
      const text = await this.ask('POST', '/leases', { json: LEASE });
      ({ run } = JSON.parse(text) as { run: LeasedRunView | null });
      return run !== null;
    });
    return run!;
  }

  /** Sends a request about a run. Returns the status and the code of the refusal. */
  async about({ id, fence }: NamedRun, method: string, route: string, request: RemoteRequest = {}): Promise<string> {
    const [path, query = ''] = route.split('?');
    const sent = await this.send(method, `/runs/${id}/${path}?fence=${fence}&${query}`, request);
    const isProblem = sent.status >= 400;
    return isProblem ? `${sent.status} ${(JSON.parse(sent.text) as { code: string }).code}` : String(sent.status);
  }

  /** Uploads answers to a dataset from `offset` on. */
  upload(run: NamedRun, dataset: string, text: string, offset = 0): Promise<string> {
    return this.about(run, 'PUT', `datasets/${dataset}/answers?offset=${offset}`, { type: LINES, text });
  }

  /** Says that the answers to a dataset are complete. */
  complete(run: NamedRun, dataset: string, size: number): Promise<string> {
    const json = { size, measures: null, seen: [], timed: [] };
    return this.about(run, 'POST', `datasets/${dataset}/answers`, { json });
  }

  end(run: NamedRun, outcome: object): Promise<string> {
    return this.about(run, 'POST', 'outcome', { json: outcome });
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async ask(method: string, path: string, request: RemoteRequest): Promise<string> {
    const { status, text } = await this.send(method, path, request);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text;
  }

  private async send(method: string, path: string, request: RemoteRequest): Promise<RemoteResponse> {
    const response = await this.client.send(method, `/api/v1/evaluator${path}`, request);
    this.received.push(response.text);
    return response;
  }
}
