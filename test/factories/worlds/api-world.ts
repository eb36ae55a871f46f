import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@assay/observability';
import { MikroORM, RequestContext } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { RouteAccess } from '../../../apps/api/src/access/access.js';
import { AdminToken } from '../../../apps/api/src/access/admin-token.js';
import { createApi } from '../../../apps/api/src/bootstrap.js';
import { freePort } from '../../../scripts/services/free-port.js';
import { apiCall, type ApiAnswer, type ApiRequest } from './api-call.js';
import { migratedDatabase } from './migrated-database.js';
import type { TestDatabase } from './test-services.js';

/** A running API that listens on its own port, with its own database and home folder. */
export interface ApiWorld {
  readonly app: NestFastifyApplication;
  readonly orm: MikroORM;
  readonly url: string;
  /** The database URL of the role of the processes. */
  readonly databaseUrl: string;
  /** The database URL of the owner role. The API connects with another role. */
  readonly ownerUrl: string;
  readonly home: string;
  readonly admin: string;
  /**
   * The access that each route of the server declares, documented or not, by its method and
   * pattern: `GET /api/v1/tasks/:slug`. `ALL` stands for a route of every method.
   */
  readonly routes: ReadonlyMap<string, RouteAccess>;
  call(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer>;
  /**
   * Registers a user unless the name is registered already.
   * @returns The user's token.
   */
  user(name: string): Promise<string>;
  /**
   * Registers a user, even if the name was registered before and is free again.
   * @returns The user's token.
   */
  register(name: string): Promise<string>;
  /**
   * Stops the API and starts it again on the same data. `changed` overrides settings from then on.
   */
  restart(changed?: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts an API.
 * @param environment Settings in addition to those that every world has.
 * @param on the database and the home folder; default: new ones
 */
export async function apiWorld(
  environment: Readonly<Record<string, string>> = {},
  on?: { readonly database: Pick<TestDatabase, 'url' | 'applicationUrl'>; readonly home: string },
): Promise<ApiWorld> {
  const own = on ? null : await migratedDatabase();
  const database = on?.database ?? own!;
  const home = on?.home ?? mkdtempSync(join(tmpdir(), 'assay-api-'));
  const before = { ...process.env };
  const port = Number(environment['PORT'] ?? (await freePort('127.0.0.1')));
  const settings = {
    DATABASE_URL: database.applicationUrl,
    ASSAY_HOME: home,
    PORT: String(port),
    ASSAY_SIGN_INS_PER_MINUTE: process.env['ASSAY_SIGN_INS_PER_MINUTE'] ?? '60',
    ...environment,
  };
  const routes = new Map<string, RouteAccess>();
  const tokens = new Map<string, string>();
  let app = await heard(routes, () => start(settings, port));
  const url = `http://127.0.0.1:${port}`;

  const world = {
    get app() {
      return app;
    },
    get orm(): MikroORM {
      return app.get(MikroORM);
    },
    url,
    databaseUrl: database.applicationUrl,
    ownerUrl: database.url,
    home,
    admin: readFileSync(join(home, 'admin-token'), 'utf8').trim(),
    routes,
    call: (method: string, path: string, request: ApiRequest = {}) => apiCall(`${url}/api/v1${path}`, method, request),
    async user(name: string): Promise<string> {
      return tokens.get(name) ?? world.register(name);
    },
    async register(name: string): Promise<string> {
      const password = `${name}-has-a-password`;
      const registered = await world.call('POST', '/auth/register', {
        body: { username: name, email: `${name}@example.org`, password },
      });
      const cookie = registered.headers.get('set-cookie')!.split(';')[0]!;
      const token = await world.call('POST', '/tokens', { body: { name: 'tests' }, headers: { cookie } });
      tokens.set(name, token.body.token as string);
      return token.body.token as string;
    },
    async restart(changed: Readonly<Record<string, string>> = {}): Promise<void> {
      await app.close();
      app = await start(Object.assign(settings, changed), port);
    },
    async close(): Promise<void> {
      await app.close();
      process.env = before;
      if (!own) return;
      await own.drop();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return world;
}

interface Registering {
  readonly fastify: FastifyInstance;
}

/** Records every route that Fastify servers created during `work` register. */
async function heard<T>(routes: Map<string, RouteAccess>, work: () => Promise<T>): Promise<T> {
  const listen = (message: unknown): void => {
    (message as Registering).fastify.addHook('onRoute', ({ method, url, config }) => {
      const methods = [method].flat();
      const access = config?.access ?? {};
      if (methods.length > 2) routes.set(`ALL ${url}`, access);
      // Fastify adds a HEAD route for every GET route
      else for (const each of methods) if (each !== 'HEAD') routes.set(`${each} ${url}`, access);
    });
  };
  subscribe('fastify.initialization', listen);
  try {
    return await work();
  } finally {
    unsubscribe('fastify.initialization', listen);
  }
}

async function start(settings: Readonly<Record<string, string>>, port: number): Promise<NestFastifyApplication> {
  Object.assign(process.env, settings);
  const app = await createApi(createLogger('error'));
  const orm = app.get(MikroORM);
  await app.listen(port, '127.0.0.1');
  await RequestContext.create(orm.em, () => app.get(AdminToken).ensure());
  return app;
}
