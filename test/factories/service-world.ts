import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import {
  isFinal,
  type LeaderboardView,
  type ModelEvent,
  type ModelView,
  type SubmitModel,
  type TaskDefinitionInput,
} from '@assay/contracts';
import { DockerEngine } from '@assay/sandbox/docker';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Client } from 'pg';
import { project } from '../../scripts/command.js';
import { appArguments, appEnvironment, programOf } from '../../scripts/services/app-program.js';
import { freePort } from '../../scripts/services/free-port.js';
import { endOfLog, SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { apiCall, type ApiAnswer, type ApiRequest } from './api-call.js';
import { testDatabase, type TestDatabase } from './test-services.js';

const START_MILLISECONDS = 60_000;
const FINAL_MILLISECONDS = 240_000;

type Environment = Readonly<Record<string, string>>;
type Submission = Pick<SubmitModel, 'name' | 'kind'> & Partial<SubmitModel>;

/** What happened to a model, in order, and how it stands now. */
export interface Followed {
  readonly events: readonly ModelEvent[];
  readonly model: ModelView;
}

/**
 * The whole service for one spec file: API and evaluator as processes of their own from the build, on a database, a home and a port of
 * their own, with the Docker engine of `DOCKER_HOST`.
 */
export class ServiceWorld {
  readonly engine = new DockerEngine();
  /** Names the evaluator: the label `assay.instance` of all its containers. */
  readonly instance = `e2e-${randomBytes(4).toString('hex')}`;
  private readonly users = new Map<string, string>();
  private apiProcess: SupervisedProcess | undefined;
  private evaluatorProcess: SupervisedProcess | undefined;
  /** Evaluators beside the first, by name. */
  private readonly others = new Map<string, SupervisedProcess>();

  private constructor(
    private readonly database: TestDatabase,
    readonly home: string,
    private readonly port: number,
    private readonly environment: Environment,
  ) {}

  /**
   * @param environment of both processes, beside what they need
   * @param database one that nobody else uses; default: on the server of this Jest run
   * @param folder where its home is made
   */
  static async start(environment: Environment = {}, database?: TestDatabase, folder = tmpdir()): Promise<ServiceWorld> {
    if (!existsSync(programOf('api')) || !existsSync(programOf('evaluator'))) {
      throw new Error('The service is not built: npm run build.');
    }
    const home = mkdtempSync(join(folder, 'assay-e2e-'));
    return ServiceWorld.at(home, database ?? (await testDatabase()), environment);
  }

  /** On what this home and this database hold already. */
  static async at(home: string, database: TestDatabase, environment: Environment = {}): Promise<ServiceWorld> {
    const port = Number(environment['PORT'] ?? (await freePort('127.0.0.1')));
    const world = new ServiceWorld(database, home, port, environment);
    try {
      mkdirSync(world.temporary);
      await world.migrate();
      world.startEvaluator();
      await world.startApi();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** By its owner; the processes have another role. */
  get databaseUrl(): string {
    return this.database.url;
  }

  /** By the role of the processes. */
  get applicationUrl(): string {
    return this.database.applicationUrl;
  }

  /** The administrator's token. */
  get admin(): string {
    return readFileSync(join(this.home, 'admin-token'), 'utf8').trim();
  }

  call(method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    return apiCall(`${this.url}/api/v1${path}`, method, request);
  }

  /** Registers a user, once. @returns their token */
  async user(name: string): Promise<string> {
    const known = this.users.get(name);
    if (known !== undefined) return known;

    const body = { username: name, email: `${name}@example.org`, password: `${name}-has-a-password` };
    const registered = await this.expect(201, 'POST', '/auth/register', { body });
    const cookie = registered.headers.get('set-cookie')!.split(';')[0]!;
    const token = await this.expect(201, 'POST', '/tokens', { body: { name: 'tests' }, headers: { cookie } });
    this.users.set(name, token.body.token as string);
    return token.body.token as string;
  }

  /** Makes a task of the administrator's. */
  async task(definition: TaskDefinitionInput): Promise<void> {
    await this.expect(201, 'POST', '/tasks', { token: this.admin, body: definition });
  }

  /** Takes in a dataset in JSON Lines. @param query as in the URL, without its question mark */
  async dataset(task: string, name: string, query: string, lines: string): Promise<void> {
    const type = 'application/x-ndjson';
    await this.expect(201, 'PUT', `/tasks/${task}/datasets/${name}?${query}`, { token: this.admin, type, body: lines });
  }

  /** Submits the file at `path`, or the bytes, as `owner`. @returns the model's id */
  async submit(task: string, submission: Submission, artifact: string | Uint8Array, owner = 'ada'): Promise<string> {
    const id = await this.announce(task, submission, owner);
    const request = typeof artifact === 'string' ? { file: artifact } : { body: artifact };
    await this.expect(202, 'PUT', `/models/${id}/artifact`, { token: await this.user(owner), ...request });
    return id;
  }

  /** The card alone: a model that waits for its artifact. @returns its id */
  async announce(task: string, submission: Submission, owner = 'ada'): Promise<string> {
    const token = await this.user(owner);
    const created = await this.expect(201, 'POST', `/tasks/${task}/models`, { token, body: submission });
    return created.body.id as string;
  }

  async model(id: string, owner = 'ada'): Promise<ModelView> {
    return (await this.expect(200, 'GET', `/models/${id}`, { token: await this.user(owner) })).body as ModelView;
  }

  /** Follows the model's events until its state is final. */
  untilFinal(id: string, owner = 'ada'): Promise<Followed> {
    return this.untilEvent(id, (event) => event.type === 'state' && isFinal(event.state), owner);
  }

  /** Follows the model's events until one that satisfies `isLast`. */
  async untilEvent(id: string, isLast: (event: ModelEvent) => boolean, owner = 'ada'): Promise<Followed> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), FINAL_MILLISECONDS);
    const died = this.evaluatorProcess!.ended.then((how) => {
      throw new Error(`the evaluator ${how}`);
    });
    died.catch(() => undefined);
    try {
      const events = await Promise.race([this.follow(id, owner, isLast, abort.signal), died]);
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

  /** The first board of the task, as `query` asks for it, that satisfies `condition`: boards are published after scores. */
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

  /** Returns when `condition` first holds. */
  until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
    return this.apiProcess!.until(condition, milliseconds);
  }

  get api(): SupervisedProcess {
    return this.apiProcess!;
  }

  /** What the database holds, which is the truth. */
  async rows<T extends object>(query: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const client = new Client({ connectionString: this.database.url });
    try {
      await client.connect();
      return (await client.query<T>(query, [...parameters])).rows;
    } finally {
      await client.end();
    }
  }

  get evaluator(): SupervisedProcess {
    return this.evaluatorProcess!;
  }

  /** A new evaluator of the same name, as after a crash. */
  startEvaluator(environment: Environment = {}): void {
    this.evaluatorProcess = this.launch('evaluator', 'SIGTERM', environment);
  }

  /** An evaluator beside the first, on the same queue and engine, or a new one of that name. */
  startAnother(name: string, environment: Environment = {}): SupervisedProcess {
    const instance = `${this.instance}-${name}`;
    const other = this.launch(
      'evaluator',
      'SIGTERM',
      { ...environment, ASSAY_EVALUATOR: instance },
      `evaluator-${name}`,
    );
    this.others.set(instance, other);
    return other;
  }

  another(name: string): SupervisedProcess {
    return this.others.get(`${this.instance}-${name}`)!;
  }

  async stopEvaluator(): Promise<void> {
    await this.evaluatorProcess?.stop();
  }

  /** Kills the API and starts it again on what it left. */
  async restartApi(environment: Environment = {}): Promise<void> {
    process.kill(this.apiProcess!.pid, 'SIGKILL');
    await this.apiProcess!.stop();
    await this.startApi(environment);
  }

  /** What a run has on this host while it runs: containers, sockets' folders, files of work. */
  async residue(): Promise<string[]> {
    const containers = await this.containers();
    const sockets = join(this.temporary, `assay-${userInfo().uid}`);
    return [
      ...containers.flatMap(({ Names }) => Names),
      // the relay's files for gVisor are there once for all runs
      ...entriesOf(sockets).filter((path) => !path.endsWith('/relay-files')),
      ...this.instances.flatMap((instance) => entriesOf(join(this.home, 'work', instance))),
      // a note of its size is kept of every completed upload
      ...entriesOf(join(this.home, 'uploads')).filter((path) => !path.endsWith('.done')),
      ...entriesOf(join(this.home, 'blobs', 'temporary')),
      ...entriesOf(this.temporary).filter((path) => path !== sockets),
    ];
  }

  /** Ends everything and removes what there was of it. */
  async close(): Promise<void> {
    const evaluators = [...this.others.values()].map((each) => each.stop());
    await Promise.all([this.apiProcess?.stop(), this.evaluatorProcess?.stop(), ...evaluators]);
    for (const { Id } of await this.containers()) await this.engine.remove(Id);
    await this.removeImages();
    await this.database.drop();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** The ids of all that run. */
  get processes(): readonly number[] {
    const all = [this.apiProcess, this.evaluatorProcess, ...this.others.values()];
    return all.flatMap((each) => (each?.running ? [each.pid] : []));
  }

  /** The ends of what the processes wrote. */
  logs(): string {
    const others = [...this.others.keys()].map((name) => name.slice(this.instance.length + 1));
    const evaluators = ['evaluator', ...others.map((name) => `evaluator-${name}`)];
    return [...evaluators.map((name) => endOfLog(this.log(name), 40)), endOfLog(this.log('api'), 10)].join('\n');
  }

  /** The names of all evaluators that there were. */
  get instances(): readonly string[] {
    return [this.instance, ...this.others.keys()];
  }

  /** Those of all evaluators of this world. */
  async containers(): ReturnType<DockerEngine['list']> {
    const lists = await Promise.all(this.instances.map((instance) => this.engine.list([`assay.instance=${instance}`])));
    return lists.flat();
  }

  /** For temporary files of both processes. */
  get temporary(): string {
    return join(this.home, 't');
  }

  /** Where the process of that name writes: `api`, `evaluator`, `evaluator-<name>`. */
  log(name: string): string {
    return join(this.home, `${name}.log`);
  }

  private async migrate(): Promise<void> {
    const migration = this.launch('migrate', 'SIGTERM', { DATABASE_OWNER_URL: this.database.url });
    const how = await migration.ended;
    if (how !== 'ended with code 0') throw new Error(`the migration ${how}. ${endOfLog(this.log('migrate'))}`);
  }

  private async startApi(environment: Environment = {}): Promise<void> {
    this.apiProcess = this.launch('api', 'SIGTERM', environment);
    await this.apiProcess.until(
      async () =>
        (await this.call('GET', '/health/ready?of=api')).status === 200 && existsSync(join(this.home, 'admin-token')),
      START_MILLISECONDS,
    );
  }

  private launch(
    name: 'api' | 'evaluator' | 'migrate',
    stopSignal: NodeJS.Signals,
    more: Environment,
    log: string = name,
  ): SupervisedProcess {
    const { PATH, DOCKER_HOST } = process.env;
    return new SupervisedProcess({
      name: `the ${name}`,
      command: process.execPath,
      arguments: name === 'migrate' ? ['--enable-source-maps', programOf('api', 'migrate')] : appArguments(name),
      environment: {
        PATH,
        ...(DOCKER_HOST !== undefined && { DOCKER_HOST }),
        ...(name !== 'migrate' && appEnvironment(name)),
        TMPDIR: this.temporary,
        ASSAY_HOME: this.home,
        ASSAY_EVALUATOR: this.instance,
        DATABASE_URL: this.database.applicationUrl,
        ASSAY_DB_CONNECTIONS: '60',
        // what runs beside the tests disturbs what they measure: they say themselves what is measured again
        ASSAY_MEASURE_AGAIN: '0',
        ASSAY_QUIET_SECONDS: '0',
        HOST: '127.0.0.1',
        PORT: String(this.port),
        PUBLIC_URL: this.url,
        ...this.environment,
        ...more,
      },
      cwd: project,
      log: this.log(log),
      stopSignal,
      patience: 20_000,
    });
  }

  /** One call that must be answered with `status`. */
  async expect(status: number, method: string, path: string, request: ApiRequest): Promise<ApiAnswer> {
    const answer = await this.call(method, path, request);
    if (answer.status === status) return answer;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}\n${this.logs()}`);
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

  /** What an image is called that is made of an artifact that was submitted here, with the state of that artifact. */
  async modelTags(): Promise<{ readonly tag: string; readonly state: string }[]> {
    // without a schema nothing was submitted
    const artifacts = await this.rows<{ digest: string; kind: string; state: string }>(
      'select digest, kind, state from artifact',
    ).catch(() => []);
    const runners = await this.engine.docker.listImages({ filters: { reference: ['assay/onnx-runner'] } });
    return artifacts.flatMap(({ digest, kind, state }) => {
      const names = kind === 'onnx' ? runners.map(({ Id }) => sha256(`onnx ${Id} ${digest}`)) : [digest];
      return names.map((name) => ({ tag: `assay/model:${name}`, state }));
    });
  }

  /** The images of the models that were submitted here; the platform's own stay. */
  private async removeImages(): Promise<void> {
    for (const { tag } of await this.modelTags()) await this.engine.removeImage(tag).catch(ifNotInUse);
  }
}

const entriesOf = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

/** Another world on this engine may run the same image: then that one removes it. */
function ifNotInUse(error: Error & { readonly statusCode?: number }): void {
  if (error.statusCode !== 409) throw error;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
