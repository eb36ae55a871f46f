import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { project } from '../../../scripts/command.js';
import { type App, appArguments, appEnvironment, programOf } from '../../../scripts/services/app-program.js';
import type { EnginePlan } from '../../../scripts/services/docker-engine.js';
import { evaluatorVariables } from '../../../scripts/services/evaluator-variables.js';
import { freePort } from '../../../scripts/services/free-port.js';
import { endOfLog, SupervisedProcess } from '../../../scripts/services/supervised-process.js';
import { apiCall } from './api-call.js';
import { ServiceClient } from './service-client.js';
import { testDatabase, type TestDatabase } from './test-services.js';

const START_MILLISECONDS = 60_000;

type Environment = Readonly<Record<string, string>>;

/** The host of an evaluator. Default: this one. */
export interface EvaluatorPlace extends Pick<EnginePlan, 'enter'> {
  /** The URL at which it reaches the service. */
  readonly url?: string;
}

/** An API process other than the first. */
export interface AnotherApi {
  readonly url: string;
  readonly process: SupervisedProcess;
}

interface RegisteredEvaluator {
  readonly token: string;
  /** Name of its log. */
  readonly log: string;
  process?: SupervisedProcess;
}

/** A clock that a test moves for all processes. */
const isClock = (name: string): boolean => name.startsWith('FAKETIME');

/**
 * The complete service for one spec file: API, worker and evaluator as processes from the build,
 * with their own database, home folder and port, on the Docker engine of `DOCKER_HOST`.
 */
export class ServiceWorld extends ServiceClient {
  private apiProcess: SupervisedProcess | undefined;
  private readonly otherApis: SupervisedProcess[] = [];
  private workerProcess: SupervisedProcess | undefined;
  /** The workers other than the first, by their names without the prefix. */
  private readonly otherWorkers = new Map<string, SupervisedProcess>();
  /** The evaluators that were ever started, by their registered names. */
  private readonly evaluators = new Map<string, RegisteredEvaluator>();

  private constructor(
    private readonly database: TestDatabase,
    home: string,
    private readonly port: number,
    private readonly environment: Environment,
  ) {
    super({
      url: `http://127.0.0.1:${port}`,
      home,
      instance: `e2e-${randomBytes(4).toString('hex')}`,
      databaseUrl: database.url,
      applicationUrl: database.applicationUrl,
    });
  }

  /**
   * Starts a service.
   * @param environment Settings of all processes, in addition to the required ones.
   * @param database A database that nobody else uses. Default: a new one on the server of this Jest
   * run.
   * @param folder The folder in which the home is created.
   */
  static async start(environment: Environment = {}, database?: TestDatabase, folder = tmpdir()): Promise<ServiceWorld> {
    if (!(['api', 'worker', 'evaluator'] as const).every((app) => existsSync(programOf(app)))) {
      throw new Error('The service is not built: npm run build.');
    }
    const home = mkdtempSync(join(folder, 'assay-e2e-'));
    return ServiceWorld.at(home, database ?? (await testDatabase()), environment);
  }

  /** Starts a service on an existing home and database. */
  static async at(home: string, database: TestDatabase, environment: Environment = {}): Promise<ServiceWorld> {
    const port = Number(environment['PORT'] ?? (await freePort('127.0.0.1')));
    const world = new ServiceWorld(database, home, port, environment);
    try {
      mkdirSync(world.temporary);
      await world.migrate();
      world.startWorker();
      await world.startApi();
      await world.startEvaluator();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  /** Polls until `condition` holds. Throws if the API ends before. */
  override until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
    return this.apiProcess!.until(condition, milliseconds);
  }

  get api(): SupervisedProcess {
    return this.apiProcess!;
  }

  get worker(): SupervisedProcess {
    return this.workerProcess!;
  }

  get evaluator(): SupervisedProcess {
    return this.evaluators.get(this.instance)!.process!;
  }

  /** Starts the worker, or starts it again as after a crash. */
  startWorker(environment: Environment = {}): void {
    this.workerProcess = this.launch('worker', 'SIGTERM', environment);
  }

  /** Starts a worker with another name on the same queue, or restarts it. */
  startAnotherWorker(name: string, environment: Environment = {}): SupervisedProcess {
    const settings = { ...environment, ASSAY_WORKER: `${this.instance}-worker-${name}` };
    const other = this.launch('worker', 'SIGTERM', settings, `worker-${name}`);
    this.otherWorkers.set(name, other);
    return other;
  }

  /** Returns the worker of that name, if one was started. */
  anotherWorker(name: string): SupervisedProcess | undefined {
    return this.otherWorkers.get(name);
  }

  async stopWorker(): Promise<void> {
    await this.workerProcess?.stop();
  }

  /** Starts the evaluator, or starts it again as after a crash. */
  startEvaluator(environment: Environment = {}, place: EvaluatorPlace = {}): Promise<SupervisedProcess> {
    return this.runEvaluator(this.instance, 'evaluator', environment, place);
  }

  /** Starts an evaluator with another name on the same engine, or restarts it. */
  startAnother(name: string, environment: Environment = {}, place: EvaluatorPlace = {}): Promise<SupervisedProcess> {
    return this.runEvaluator(this.nameOf(name), `evaluator-${name}`, environment, place);
  }

  /** Returns the evaluator of that name, if one was started. */
  another(name: string): SupervisedProcess | undefined {
    return this.evaluators.get(this.nameOf(name))?.process;
  }

  async stopEvaluator(): Promise<void> {
    await this.evaluator.stop();
  }

  private readonly nameOf = (name: string): string => `${this.instance}-${name}`;

  /** Starts an evaluator with nothing but its own settings. Registers it at its first start. */
  private async runEvaluator(
    instance: string,
    log: string,
    environment: Environment,
    { url = this.url, enter }: EvaluatorPlace,
  ): Promise<SupervisedProcess> {
    const evaluator = this.evaluators.get(instance) ?? { token: await this.registerEvaluator(instance), log };
    this.evaluators.set(instance, evaluator);
    const home = this.evaluatorHome(instance);
    mkdirSync(join(home, 't'), { recursive: true });
    evaluator.process = this.supervise(
      'evaluator',
      'SIGTERM',
      log,
      {
        ...evaluatorVariables(this.common),
        ...Object.fromEntries(Object.entries(this.environment).filter(([name]) => isClock(name))),
        TMPDIR: join(home, 't'),
        ASSAY_URL: url,
        ASSAY_EVALUATOR_TOKEN: evaluator.token,
        ASSAY_EVALUATOR_HOME: home,
        ...environment,
      },
      enter,
    );
    return evaluator.process;
  }

  private async registerEvaluator(name: string): Promise<string> {
    const { body } = await this.expect(201, 'POST', '/evaluators', { token: this.admin, body: { name } });
    return body.token as string;
  }

  /**
   * Starts another API process on the same data, with a port of its own. Resolves when it is ready.
   * @param log name of its log
   */
  async startAnotherApi(log: string, environment: Environment = {}): Promise<AnotherApi> {
    const port = await freePort('127.0.0.1');
    const other = this.launch('api', 'SIGTERM', { ...environment, PORT: String(port) }, log);
    this.otherApis.push(other);
    const url = `http://127.0.0.1:${port}`;
    await other.until(async () => {
      return (await apiCall(`${url}/api/v1/health/ready?of=api`, 'GET')).status === 200;
    }, START_MILLISECONDS);
    return { url, process: other };
  }

  /** Kills the API and starts it again on the same data. */
  async restartApi(environment: Environment = {}): Promise<void> {
    process.kill(this.apiProcess!.pid, 'SIGKILL');
    await this.apiProcess!.stop();
    await this.startApi(environment);
  }

  /** Stops all processes and removes their containers, images, database and home folder. */
  async close(): Promise<void> {
    await Promise.all(this.started.map((each) => each.stop()));
    for (const { Id } of await this.containers()) await this.engine.remove(Id);
    await this.removeImages();
    await this.database.drop();
    const homes = [this.home, ...this.instances.map((instance) => this.evaluatorHome(instance))];
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  }

  /** The ids of all running processes. */
  get processes(): readonly number[] {
    return this.started.flatMap((each) => (each.running ? [each.pid] : []));
  }

  private get started(): readonly SupervisedProcess[] {
    const evaluators = [...this.evaluators.values()].map((each) => each.process);
    const workers = [this.workerProcess, ...this.otherWorkers.values()];
    const all = [this.apiProcess, ...this.otherApis, ...workers, ...evaluators];
    return all.filter((each) => each !== undefined);
  }

  override logs(): string {
    const evaluators = [...this.evaluators.values()].map(({ log }) => log);
    const workers = [...this.otherWorkers.keys()].map((name) => `worker-${name}`);
    const names = [...evaluators, 'worker', ...workers];
    return [...names.map((name) => endOfLog(this.log(name), 40)), endOfLog(this.log('api'), 10)].join('\n');
  }

  override get instances(): readonly string[] {
    return [...new Set([this.instance, ...this.evaluators.keys()])];
  }

  protected override async evaluatorDeath(): Promise<never> {
    throw new Error(`the evaluator ${await this.evaluator.ended}`);
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
    name: App | 'migrate',
    stopSignal: NodeJS.Signals,
    more: Environment,
    log: string = name,
  ): SupervisedProcess {
    return this.supervise(name, stopSignal, log, { ...this.common, ...more });
  }

  /** The settings of all processes. */
  private get common(): Environment {
    return {
      TMPDIR: this.temporary,
      ASSAY_HOME: this.home,
      ASSAY_WORKER: `${this.instance}-worker`,
      DATABASE_URL: this.database.applicationUrl,
      ASSAY_DB_CONNECTIONS: '60',
      // concurrent tests disturb measurements; a test that needs another measurement asks for it
      ASSAY_MEASURE_AGAIN: '0',
      ASSAY_QUIET_SECONDS: '0',
      // nothing is measured that a test does not ask for
      ASSAY_MEASURE_AFTER_SECONDS: '86400',
      // deployments give way to runs on hidden data as soon as they are idle
      ASSAY_PLACEMENT_IDLE_SECONDS: '1',
      HOST: '127.0.0.1',
      PORT: String(this.port),
      PUBLIC_URL: this.url,
      ...this.environment,
    };
  }

  /** Starts a process with these settings and those of every program. */
  private supervise(
    name: App | 'migrate',
    stopSignal: NodeJS.Signals,
    log: string,
    settings: Readonly<Record<string, string | undefined>>,
    enter: EnginePlan['enter'] = (command, parameters) => ({ command, arguments: parameters }),
  ): SupervisedProcess {
    const { PATH, DOCKER_HOST, NODE_COMPILE_CACHE } = process.env;
    return new SupervisedProcess({
      name: `the ${name}`,
      ...enter(
        process.execPath,
        name === 'migrate' ? ['--enable-source-maps', programOf('api', 'migrate')] : appArguments(name),
      ),
      environment: {
        PATH,
        ...(DOCKER_HOST !== undefined && { DOCKER_HOST }),
        ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
        ...(name !== 'migrate' && appEnvironment(name)),
        ...settings,
      },
      cwd: project,
      log: this.log(log),
      stopSignal,
      patience: 20_000,
    });
  }

  /**
   * Returns the possible tags of images made from artifacts submitted here, with the state of each
   * artifact.
   */
  async modelTags(): Promise<{ readonly tag: string; readonly state: string }[]> {
    // before the migration there is no such table, and nothing was submitted
    const artifacts = await this.rows<{ digest: string; kind: string; state: string }>(
      'select digest, kind, state from artifact',
    ).catch(() => []);
    const runners = await this.engine.docker.listImages({ filters: { reference: ['assay/onnx-runner'] } });
    return artifacts.flatMap(({ digest, kind, state }) => {
      const names =
        kind === 'onnx' ? runners.map(({ Id }) => sha256(`onnx ${Id} ${digest}`)) : [digest, sha256(`live ${digest}`)];
      return names.map((name) => ({ tag: `assay/model:${name}`, state }));
    });
  }

  /** Removes the images of the models submitted here. The platform's own images stay. */
  private async removeImages(): Promise<void> {
    for (const { tag } of await this.modelTags()) await this.engine.removeImage(tag).catch(ifNotInUse);
  }
}

/** Ignores that another world on this engine uses the same image: that world removes it. */
function ifNotInUse(error: Error & { readonly statusCode?: number }): void {
  if (error.statusCode !== 409) throw error;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
