import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { build } from '../build.js';
import { project, projectEnvironment, runNode, successful } from '../command.js';
import { type App, appArguments, appEnvironment, programOf } from './app-program.js';
import { findProgram } from './debian-packages.js';
import { bringEngine, type DockerEngine } from './docker-engine.js';
import { startPostgres } from './embedded-postgres.js';
import { evaluatorVariables } from './evaluator-variables.js';
import { evaluatorName, evaluatorToken } from './installation-evaluator.js';
import { RestartingProcess } from './restarting-process.js';
import type { Progress } from './progress.js';
import { SupervisedProcess } from './supervised-process.js';

/** Connections that the embedded server allows: those of the processes, and some for people. */
const CONNECTIONS = 100;

export interface InstallationPlan {
  /** Absolute path of `ASSAY_HOME`. */
  readonly home: string;
  readonly port: number;
  /** Address at which users reach the service, without a trailing slash. */
  readonly publicUrl: string;
  readonly install: 'allowed' | 'refused';
  /** True: a Docker engine that is started maps the users of models, unless gVisor is installed. */
  readonly remapUsers: boolean;
  /** Absolute path of the backup that the installation is restored from. */
  readonly restore?: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * All processes of one installation on this machine. They are started in order, and stopped in
 * reverse order.
 */
export class Installation {
  private readonly endings: (() => Promise<void>)[] = [];
  private stopped: Promise<void> | undefined;
  private readonly logs = join(this.plan.home, 'logs');

  constructor(
    private readonly plan: InstallationPlan,
    private readonly progress: Progress,
  ) {}

  /**
   * Resolves with the Docker engine when the API is ready. Throws an error with a readable message;
   * the caller must then stop what has been started.
   */
  async start(): Promise<DockerEngine> {
    const { home, port, restore } = this.plan;
    mkdirSync(this.logs, { recursive: true });
    const database = await this.database();
    const engine = await this.engine();
    await this.progress.step('Building', async (detail) => {
      const built = await build();
      detail(built.length ? built.join(', ') : 'nothing changed');
    });

    const environment = {
      ...projectEnvironment(),
      NODE_ENV: 'production',
      ASSAY_HOME: home,
      ...database,
      // the processes never receive the credentials of the owner
      DATABASE_OWNER_URL: undefined,
      // an empty value counts as unset
      REDIS_URL: process.env['REDIS_URL'] || undefined,
      PORT: String(port),
      PUBLIC_URL: this.plan.publicUrl,
    };
    const migrating = { ...environment, ...database };
    if (restore !== undefined) {
      await this.progress.step(`Restoring ${restore}`, async (detail) => {
        const { output } = await successful(
          runNode([programOf('api', 'admin'), 'restore', restore], { environment: migrating }),
        );
        detail(output.trim());
      });
    }
    await this.progress.step('Migrating the database', async () => {
      const warning = await migrate(migrating);
      if (warning) this.progress.say(warning);
    });
    await this.progress.step(`Starting the API on port ${port}`, async () => {
      const api = this.app('The API', 'api', environment);
      const restarting = await this.adopt(api);
      await api.until(() => isReady(port), 60_000);
      restarting.keep();
    });
    await this.progress.step('Starting a worker', async () => {
      const worker = await this.adopt(this.app('The worker', 'worker', environment));
      worker.keep();
    });
    await this.progress.step('Starting an evaluator', async () => {
      const evaluator = this.app('The evaluator', 'evaluator', await this.evaluatorEnvironment(environment, engine));
      (await this.adopt(evaluator)).keep();
    });
    return engine;
  }

  /**
   * Stops everything that was started, in reverse order. Can be called at any time and repeatedly.
   */
  stop(): Promise<void> {
    return (this.stopped ??= this.end());
  }

  /** Returns the settings for the migration, whose role may differ from that of the processes. */
  private async database(): Promise<Variables> {
    const { DATABASE_URL, DATABASE_OWNER_URL } = process.env;
    if (DATABASE_URL) {
      this.progress.say(`Using the PostgreSQL of DATABASE_URL (${new URL(DATABASE_URL).host}).`);
      return { DATABASE_URL, DATABASE_OWNER_URL: DATABASE_OWNER_URL || undefined };
    }
    return this.progress.step('Starting PostgreSQL', async (detail) => {
      const directory = join(this.plan.home, 'postgres');
      const server = await startPostgres({
        directory,
        durability: 'safe',
        connections: CONNECTIONS,
        log: join(this.logs, 'postgres.log'),
      });
      (await this.adopt(server.process)).keep();
      writeFileSync(join(this.plan.home, 'database-url'), `${server.url}\n`, { mode: 0o600 });
      const elsewhere = server.data.startsWith(directory) ? '' : `, in ${server.data}`;
      detail(`${server.version.replace(/-.*/, '')} embedded${elsewhere}`);
      return { DATABASE_URL: server.applicationUrl, DATABASE_OWNER_URL: server.url };
    });
  }

  private engine(): Promise<DockerEngine> {
    const { home, install } = this.plan;
    const remapUsers = this.plan.remapUsers && !findProgram('runsc');
    const plan = { directory: join(home, 'docker'), logs: this.logs, install, remapUsers };
    return bringEngine(plan, this.progress, async (engine) => {
      if (this.plan.remapUsers) this.sayWhyNotRemapped(engine);
      if (engine.release) this.endings.push(engine.release);
      if (engine.process) (await this.adopt(engine.process, engine.clear)).keep();
      writeFileSync(join(home, 'docker-host'), `${engine.host}\n`);
    });
  }

  private sayWhyNotRemapped({ process: started }: DockerEngine): void {
    if (!started) this.progress.say('Users are not remapped by --userns-remap: this engine ran already.');
    else if (findProgram('runsc'))
      this.progress.say('Users are not remapped: gVisor (runsc) is installed, and used instead.');
  }

  /** Registers the evaluator at the first start. It gets nothing that gives access to more than its token does. */
  private async evaluatorEnvironment(environment: Variables, engine: DockerEngine): Promise<Variables> {
    const { home, port } = this.plan;
    const address = `http://127.0.0.1:${port}`;
    const name = process.env['ASSAY_EVALUATOR'] || evaluatorName(home);
    return {
      ...evaluatorVariables(environment),
      ASSAY_URL: address,
      ASSAY_EVALUATOR_TOKEN: await evaluatorToken({ home, address, name }),
      ASSAY_EVALUATOR_HOME: join(home, 'evaluator'),
      DOCKER_HOST: engine.host,
    };
  }

  private app(name: string, app: App, environment: Variables): SupervisedProcess {
    return new SupervisedProcess({
      name,
      command: process.execPath,
      arguments: appArguments(app),
      environment: { ...environment, ...appEnvironment(app) },
      cwd: project,
      log: join(this.logs, `${app}.log`),
      stopSignal: 'SIGTERM',
      patience: 20_000,
    });
  }

  /**
   * Registers a process to be stopped at the end. If the installation is already stopping, stops
   * the process immediately and throws.
   */
  private async adopt(started: SupervisedProcess, clear?: () => Promise<void>): Promise<RestartingProcess> {
    const restarting = new RestartingProcess(started, (text) => this.progress.say(text), clear);
    if (this.stopped) {
      await restarting.stop();
      throw new Error('It is being stopped.');
    }
    this.endings.push(() => restarting.stop());
    return restarting;
  }

  private async end(): Promise<void> {
    for (let ending = this.endings.pop(); ending; ending = this.endings.pop()) await ending();
    for (const file of ['database-url', 'docker-host']) rmSync(join(this.plan.home, file), { force: true });
  }
}

/** @returns a warning for the operator, or undefined */
async function migrate(environment: Variables): Promise<string | undefined> {
  const { code, output } = await runNode([programOf('api', 'migrate')], { environment });
  if (code !== 0) throw new Error(`The database could not be migrated:\n${output.trim()}`);
  return output.split('\n').find((line) => line.startsWith('the audit log is protected by triggers only'));
}

/** Returns whether the API on this machine reports that it is ready. */
function isReady(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(2000);
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/api/v1/health/ready?of=api', signal }, (response) =>
      resolve(response.resume().statusCode === 200),
    ).on('error', () => resolve(false));
  });
}
