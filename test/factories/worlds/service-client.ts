import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { LeaderboardView } from '@assay/contracts/boards';
import type { ModelEvent, ModelView, SubmitModel } from '@assay/contracts/models';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Client } from 'pg';
// imports files instead of the index modules: loading all that these export would take a second in
// every spec
import { isFinal } from '../../../libs/contracts/src/models/model.js';
import { DockerEngine } from '../../../libs/sandbox/src/docker/docker-engine.js';
import { poll } from '../../../scripts/services/processes.js';
import { endOfLog } from '../../../scripts/services/supervised-process.js';
import { apiCall, type ApiAnswer, type ApiRequest } from './api-call.js';

const FINAL_MILLISECONDS = 240_000;

type Submission = Pick<SubmitModel, 'name' | 'kind'> & Partial<SubmitModel>;

/** The events of a model in order, and its current state. */
export interface Followed {
  readonly events: readonly ModelEvent[];
  readonly model: ModelView;
}

/**
 * The location of a service: enough to use it from any process of this host. Plain data, so it can
 * be serialised.
 */
export interface ServiceAddress {
  /** The URL: `http://127.0.0.1:port`. */
  readonly url: string;
  /** The service's `ASSAY_HOME`. */
  readonly home: string;
  /** The name of the evaluator, which is also the label `assay.instance` of its containers. */
  readonly instance: string;
  /** The database URL of the owner role. The processes connect with another role. */
  readonly databaseUrl: string;
  /** The database URL of the role that the processes use. */
  readonly applicationUrl: string;
}

/** Uses a running service as its users do, and reads its database, files and containers. */
export class ServiceClient implements ServiceAddress {
  readonly engine = new DockerEngine();
  readonly url: string;
  readonly home: string;
  readonly instance: string;
  readonly databaseUrl: string;
  readonly applicationUrl: string;
  private readonly tokens = new Map<string, string>();

  /** @param builder The user who submits models unless a call names another one. */
  constructor(
    address: ServiceAddress,
    readonly builder = 'ada',
  ) {
    this.url = address.url;
    this.home = address.home;
    this.instance = address.instance;
    this.databaseUrl = address.databaseUrl;
    this.applicationUrl = address.applicationUrl;
  }

  /** The administrator's token. */
  get admin(): string {
    return readFileSync(join(this.home, 'admin-token'), 'utf8').trim();
  }

  call(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    return apiCall(`${this.url}/api/v1${path}`, method, request);
  }

  /**
   * Sends a request and returns the response.
   * @throws Error if the status is not `status`.
   */
  async expect(status: number, method: string, path: string, request: ApiRequest): Promise<ApiAnswer> {
    const answer = await this.call(method, path, request);
    if (answer.status === status) return answer;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}\n${this.logs()}`);
  }

  /**
   * Registers a user unless the name is registered already.
   * @returns The user's token.
   */
  async user(name: string): Promise<string> {
    const known = this.tokens.get(name);
    if (known !== undefined) return known;

    const body = { username: name, email: `${name}@example.org`, password: `${name}-has-a-password` };
    const registered = await this.expect(201, 'POST', '/auth/register', { body });
    const cookie = registered.headers.get('set-cookie')!.split(';')[0]!;
    const token = await this.expect(201, 'POST', '/tokens', { body: { name: 'tests' }, headers: { cookie } });
    this.tokens.set(name, token.body.token as string);
    return token.body.token as string;
  }

  /** Creates a task that the administrator owns. */
  async task(definition: TaskDefinitionInput): Promise<void> {
    await this.expect(201, 'POST', '/tasks', { token: this.admin, body: definition });
  }

  /**
   * Uploads a dataset in JSON Lines.
   * @param query The query string, without its question mark.
   */
  async dataset(task: string, name: string, query: string, lines: string): Promise<void> {
    const type = 'application/x-ndjson';
    await this.expect(201, 'PUT', `/tasks/${task}/datasets/${name}?${query}`, { token: this.admin, type, body: lines });
  }

  /**
   * Submits the file at `path`, or the bytes, as `owner`.
   * @returns The id of the model.
   */
  async submit(
    task: string,
    submission: Submission,
    artifact: string | Uint8Array,
    owner = this.builder,
  ): Promise<string> {
    const id = await this.announce(task, submission, owner);
    const request = typeof artifact === 'string' ? { file: artifact } : { body: artifact };
    await this.expect(202, 'PUT', `/models/${id}/artifact`, { token: await this.user(owner), ...request });
    return id;
  }

  /**
   * Creates a model that waits for its artifact.
   * @returns The id of the model.
   */
  async announce(task: string, submission: Submission, owner = this.builder): Promise<string> {
    const token = await this.user(owner);
    const created = await this.expect(201, 'POST', `/tasks/${task}/models`, { token, body: submission });
    return created.body.id as string;
  }

  async model(id: string, owner = this.builder): Promise<ModelView> {
    return (await this.expect(200, 'GET', `/models/${id}`, { token: await this.user(owner) })).body as ModelView;
  }

  /** Follows the model's events until its state is final. */
  untilFinal(id: string, owner = this.builder): Promise<Followed> {
    return this.untilEvent(id, (event) => event.type === 'state' && isFinal(event.state), owner);
  }

  /** Follows the model's events until one satisfies `isLast`. */
  async untilEvent(id: string, isLast: (event: ModelEvent) => boolean, owner = this.builder): Promise<Followed> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), FINAL_MILLISECONDS);
    try {
      const events = await Promise.race([this.follow(id, owner, isLast, abort.signal), this.evaluatorDeath()]);
      return { events, model: await this.model(id, owner) };
    } catch (error) {
      const stands = await this.model(id, owner).catch(() => undefined);
      throw new Error(`what was waited for did not come; the model: ${JSON.stringify(stands)}\n${this.logs()}`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  /**
   * Polls the board of the task until it satisfies `condition`. A board is published after the
   * scores.
   * @throws Error after one minute.
   */
  async board(
    task: string,
    condition: (board: LeaderboardView) => boolean = () => true,
    query = '',
  ): Promise<LeaderboardView> {
    let board: LeaderboardView | undefined;
    try {
      await this.until(async () => {
        board = (await this.call('GET', `/tasks/${task}/leaderboard${query}`)).body as LeaderboardView;
        return condition(board);
      }, 60_000);
    } catch (error) {
      throw new Error(`no such board came; the last: ${JSON.stringify(board)}\n${this.logs()}`, { cause: error });
    }
    return board!;
  }

  /**
   * Polls until `condition` holds.
   * @throws Error after `milliseconds`.
   */
  async until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
    const holds = await poll(() => condition().catch(() => false), milliseconds);
    if (!holds) throw new Error(`not within ${Math.round(milliseconds / 1000)} s.\n${this.logs()}`);
  }

  /** Queries the database of the service directly. */
  async rows<T extends object>(query: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const client = new Client({ connectionString: this.databaseUrl });
    try {
      await client.connect();
      return (await client.query<T>(query, [...parameters])).rows;
    } finally {
      await client.end();
    }
  }

  /**
   * Returns what a run uses on this host and must remove afterwards: containers, socket folders and
   * work files.
   */
  async residue(): Promise<string[]> {
    const containers = await this.containers();
    return [
      ...containers.flatMap(({ Names }) => Names),
      ...this.instances.flatMap((instance) => this.residueOf(instance)),
      ...entriesOf(join(this.home, 'work', `${this.instance}-worker`)),
      // every completed upload leaves a note of its size
      ...entriesOf(join(this.home, 'uploads')).filter((path) => !path.endsWith('.done')),
      ...entriesOf(join(this.home, 'blobs', 'temporary')),
      ...entriesOf(this.temporary),
    ];
  }

  private residueOf(instance: string): string[] {
    const home = this.evaluatorHome(instance);
    const temporary = join(home, 't');
    const sockets = join(temporary, `assay-${userInfo().uid}`);
    return [
      // the relay's files for gVisor, and what models see of the host, are shared by all runs
      ...entriesOf(sockets).filter((path) => !/\/(?:relay|proc)-files$/.test(path)),
      ...entriesOf(temporary).filter((path) => path !== sockets),
      // a rebuilt image waits for its first run, which another evaluator may have
      ...entriesOf(join(home, 'work', instance)).filter((path) => !/\/rebuilt-[0-9a-f]{64}\.tar$/.test(path)),
    ];
  }

  /** Returns the containers of all evaluators of this service. */
  async containers(): ReturnType<DockerEngine['list']> {
    const lists = await Promise.all(this.instances.map((instance) => this.engine.list([`assay.instance=${instance}`])));
    return lists.flat();
  }

  /** The names of all evaluators that were ever started. */
  get instances(): readonly string[] {
    return [this.instance];
  }

  /**
   * Returns the home folder of an evaluator. It is next to that of the service, about which an evaluator
   * knows nothing.
   */
  evaluatorHome(instance: string): string {
    return `${this.home}.${instance}`;
  }

  /** The folder for temporary files of the API and the workers. */
  get temporary(): string {
    return join(this.home, 't');
  }

  /** Returns the log file of a process: `api`, `evaluator` or `evaluator-<name>`. */
  log(name: string): string {
    return join(this.home, `${name}.log`);
  }

  /** Returns the ends of the logs. */
  logs(): string {
    return [endOfLog(this.log('evaluator'), 40), endOfLog(this.log('worker'), 20), endOfLog(this.log('api'), 10)].join(
      '\n',
    );
  }

  /**
   * Rejects when the evaluator ends. Never settles here: only the process that started the
   * evaluator can tell.
   */
  protected evaluatorDeath(): Promise<never> {
    return new Promise(() => undefined);
  }

  private async follow(
    id: string,
    owner: string,
    isLast: (event: ModelEvent) => boolean,
    signal: AbortSignal,
  ): Promise<ModelEvent[]> {
    const headers = { authorization: `Bearer ${await this.user(owner)}` };
    const seen: ModelEvent[] = [];
    for (;;) {
      const response = await fetch(`${this.url}/api/v1/models/${id}/events`, { headers, signal });
      if (!response.ok || !response.body) throw new Error(`events of ${id}: ${response.status}`);
      const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { event, data } of events) {
        if (event === undefined || event === 'ping') continue;
        const told = { type: event, ...JSON.parse(data) } as ModelEvent;
        seen.push(told);
        if (isLast(told)) return seen;
      }
    }
  }
}

const entriesOf = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
