import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { build } from '../build.js';
import { project, projectEnvironment, runNode } from '../command.js';
import { type App, appArguments, appEnvironment, programOf } from './app-program.js';
import { type DockerEngine, findOrStartEngine, privateEngineAdvice } from './docker-engine.js';
import { startPostgres } from './embedded-postgres.js';
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
  /** Absolute path of the backup that the installation is restored from. */
  readonly restore?: string | undefined;
}

/**
 * The database URLs by role. `owner` is the role for migrations, if it differs from that of the
 * processes.
 */
interface DatabaseUrls {
  readonly application: string;
  readonly owner: string | undefined;
}

/**
 * All processes of one installation on this machine. They are started in order, and stopped in
 * reverse order.
 */
export class Installation {
  private readonly plan: InstallationPlan;
  private readonly progress: Progress;
  private readonly endings: (() => Promise<void>)[] = [];
  private stopped: Promise<void> | undefined;
  private advice: string | undefined;

  constructor(plan: InstallationPlan, progress: Progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Resolves when the API is ready. Throws an error with a readable message; the caller must then
   * stop what has been started.
   */
  async start(): Promise<void> {
    const { home, port } = this.plan;
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
      DATABASE_URL: database.application,
      // the processes never receive the credentials of the owner
      DATABASE_OWNER_URL: undefined,
      // an empty value counts as unset
      REDIS_URL: process.env['REDIS_URL'] || undefined,
      PORT: String(port),
      PUBLIC_URL: this.plan.publicUrl,
    };
    const migrating = { ...environment, DATABASE_OWNER_URL: database.owner };
    const { restore } = this.plan;
    if (restore !== undefined) {
      await this.progress.step(`Restoring ${restore}`, async (detail) => detail(await restoreFrom(restore, migrating)));
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
    await this.progress.step('Starting an evaluator', async () => {
      const evaluator = await this.adopt(
        this.app('The evaluator', 'evaluator', { ...environment, DOCKER_HOST: engine.host }),
      );
      evaluator.keep();
    });
  }

  /** Returns how to use the Docker engine for other purposes, if it was started privately. */
  get engineAdvice(): string | undefined {
    return this.advice;
  }

  /**
   * Stops everything that was started, in reverse order. Can be called at any time and repeatedly.
   */
  stop(): Promise<void> {
    return (this.stopped ??= this.end());
  }

  private get logs(): string {
    return join(this.plan.home, 'logs');
  }

  private async database(): Promise<DatabaseUrls> {
    const external = process.env['DATABASE_URL'];
    if (external) {
      this.progress.say(`Using the PostgreSQL of DATABASE_URL (${new URL(external).host}).`);
      return { application: external, owner: process.env['DATABASE_OWNER_URL'] || undefined };
    }
    return this.progress.step('Starting PostgreSQL', async (detail) => {
      const directory = join(this.plan.home, 'postgres');
      const server = await startPostgres({
        directory,
        database: 'assay',
        durability: 'safe',
        connections: CONNECTIONS,
        log: join(this.logs, 'postgres.log'),
      });
      (await this.adopt(server.process)).keep();
      writeFileSync(join(this.plan.home, 'database-url'), `${server.url}\n`, { mode: 0o600 });
      const elsewhere = server.data.startsWith(directory) ? '' : `, in ${server.data}`;
      detail(`${server.version.replace(/-.*/, '')} embedded${elsewhere}`);
      return { application: server.applicationUrl, owner: server.url };
    });
  }

  private engine(): Promise<DockerEngine> {
    return this.progress.step('Looking for a Docker engine', async (detail) => {
      const engine = await findOrStartEngine({
        directory: join(this.plan.home, 'docker'),
        logs: this.logs,
        install: this.plan.install,
        say: (text) => this.progress.say(text),
      });
      if (engine.release) this.endings.push(engine.release);
      if (engine.process) (await this.adopt(engine.process, engine.clear)).keep();
      detail(`${engine.version} ${engine.process ? 'started privately' : 'found'} on ${engine.host}`);
      writeFileSync(join(this.plan.home, 'docker-host'), `${engine.host}\n`);
      if (engine.process) this.advice = privateEngineAdvice(engine.host);
      return engine;
    });
  }

  private app(name: string, app: App, environment: Readonly<Record<string, string | undefined>>): SupervisedProcess {
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
async function migrate(environment: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const { code, output } = await runNode([programOf('api', 'migrate')], { environment });
  if (code !== 0) throw new Error(`The database could not be migrated:\n${output.trim()}`);
  return output.split('\n').find((line) => line.startsWith('the audit log is protected by triggers only'));
}

/** @returns a description of what was restored */
async function restoreFrom(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { code, output } = await runNode([programOf('api', 'admin'), 'restore', directory], {
    environment,
  });
  if (code !== 0) throw new Error(output.trim());
  return output.trim();
}

/** Returns whether the API on this machine reports that it is ready. */
export function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/api/v1/health/ready?of=api', timeout: 2000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
