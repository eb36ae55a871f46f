import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { RegisteredEvaluators } from '@assay/contracts/evaluators';
import type { RoundView } from '@assay/contracts/rounds';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../scripts/services/free-port.js';
import { lives, readState } from '../../scripts/services/running-state.js';
import { apiCall } from '../factories/worlds/api-call.js';
import {
  commandOf,
  commandsOf,
  follow,
  type Followed,
  FOLLOWED_PAGES,
  linkCheckout,
  NOT_RUN,
  provideNodeImage,
} from './documented-commands.js';

const project = resolve(import.meta.dirname, '../..');

/** The part of an OpenAPI document that names its operations. */
interface OpenApi {
  readonly paths: Readonly<Record<string, object>>;
}

interface Ended {
  readonly code: number;
  readonly text: string;
}

describe('scripts/up', () => {
  const home = mkdtempSync(join(tmpdir(), 'assay-up-'));
  let port: number;
  const up = (...parameters: readonly string[]): Promise<Ended> => started(home, port, parameters);

  beforeAll(async () => {
    // the user that runs PostgreSQL must be able to enter the folder
    chmodSync(home, 0o711);
    port = await freePort('0.0.0.0');
  });
  afterAll(async () => {
    await up('--down');
    rmSync(home, { recursive: true, force: true });
  });

  it('brings the service with its demonstration up in the background, and keeps all data over a second start', async () => {
    const first = await started(home, port, ['--detach'], { DOCKER_HOST: '' });
    expect(first).toMatchObject({ code: 0, text: expect.stringContaining(`http://localhost:${port}`) });
    expect(first.text).toContain('Bag of words (ONNX)');
    expect(first.text.includes('docker build --network=host')).toBe(first.text.includes('started privately'));
    const state = readState(home);
    const ready = await fetch(`http://127.0.0.1:${port}/api/v1/health/ready?of=api`);
    expect(ready.status).toBe(200);
    expect(statSync(join(home, 'admin-token')).mode & 0o777).toBe(0o600);
    const token = readFileSync(join(home, 'admin-token'), 'utf8').trim();
    const asked = `http://127.0.0.1:${port}/api/v1/tasks/sentiment/rounds/3`;
    const round = (await fetch(asked).then((answer) => answer.json())) as RoundView;
    expect(round.counts).toMatchObject({ examples: 24, validated: 20 });

    const evaluator = await expectSeparateEvaluator(home, port);

    const again = await up('--detach', '--no-demo');
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining('already runs') });
    const followed = await followDocumentation(home, port);
    expect(followed.filter(({ code }) => code !== 0)).toEqual([]);

    expect(await up('--down')).toMatchObject({ code: 0 });
    expect(processesThatName(home)).toEqual([]);
    expect(state && lives(state)).toBe(false);
    await expect(fetch(`http://127.0.0.1:${port}/api/v1/health/live`)).rejects.toThrow();

    const second = await up('--detach');
    expect(second).toMatchObject({ code: 0, text: expect.stringContaining('Bag of words (ONNX)') });
    const same = (await fetch(asked).then((answer) => answer.json())) as RoundView;
    const me = await fetch(`http://127.0.0.1:${port}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await evaluatorsOf(home, port)).toEqual([evaluator]);
    await up('--down');
    expect(same.counts).toEqual(round.counts);
    expect(me.status).toBe(200);
    // two starts, seven evaluations, a round, and all commands of four pages
  }, 900_000);

  it('runs every command of the README and the tutorials but those that are named with a reason', () => {
    const commands = new Set(FOLLOWED_PAGES.flatMap((page) => commandsOf(page).map(commandOf)));
    expect(Object.keys(NOT_RUN).filter((command) => !commands.has(command))).toEqual([]);
    expect(FOLLOWED_PAGES.filter((page) => commandsOf(page).length === 0)).toEqual([]);
  });

  it('names the port that another program holds, and starts nothing', async () => {
    const other = await listening(port);

    const refused = await up('--detach', '--no-demo');
    other.close();

    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining(`Port ${port} is in use`) });
    expect(processesThatName(home)).toEqual([]);
  });

  it('says how to get an engine when the one that is named does not answer', async () => {
    const refused = await started(home, port, ['--no-demo', '--no-install'], { DOCKER_HOST: 'tcp://127.0.0.1:9' });

    expect(refused.code).toBe(1);
    expect(refused.text).toContain('no engine answers on DOCKER_HOST=tcp://127.0.0.1:9');
    expect(processesThatName(home)).toEqual([]);
  });
});

/**
 * Runs the commands of the README and the tutorials as a reader would, on the service in `home`.
 */
async function followDocumentation(home: string, port: number): Promise<readonly Followed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-docs-'));
  linkCheckout(folder, home);
  const base = await provideNodeImage(readFileSync(join(home, 'docker-host'), 'utf8').trim(), folder);
  const followed: Followed[] = [];
  try {
    for (const page of FOLLOWED_PAGES) followed.push(await follow(page, folder, `localhost:${port}`));
  } finally {
    await base.remove();
    rmSync(folder, { recursive: true });
  }
  return followed;
}

/** Returns the IDs of the registered evaluators. */
async function evaluatorsOf(home: string, port: number): Promise<readonly string[]> {
  const token = readFileSync(join(home, 'admin-token'), 'utf8').trim();
  const { body } = await apiCall(`http://127.0.0.1:${port}/api/v1/evaluators`, 'GET', { token });
  return (body as RegisteredEvaluators).items.map(({ id }) => id);
}

/**
 * Checks that the evaluator has no setting, file or token that opens more than the routes for evaluators.
 * @returns its ID
 */
async function expectSeparateEvaluator(home: string, port: number): Promise<string> {
  const own = join(home, 'evaluator');
  const environment = environments().find((each) => each['ASSAY_EVALUATOR_HOME'] === own)!;
  const { ASSAY_EVALUATOR_TOKEN: token, ...others } = environment;
  const names = Object.keys(others).filter((name) => /ASSAY|DATABASE|REDIS|PG|URL|KEY|SECRET|PASSWORD/.test(name));
  expect(names.sort()).toEqual(['ASSAY_EVALUATOR_HOME', 'ASSAY_URL']);
  expect(Object.values(others).filter((value) => value.includes(home))).toEqual([own]);
  expect(readFileSync(join(home, 'evaluator-token'), 'utf8')).toBe(`${token}\n`);
  expect(statSync(join(home, 'evaluator-token')).mode & 0o777).toBe(0o600);

  // it stores nothing but the artifacts of models
  const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const { name, parentPath } of files) {
    expect(parentPath).toMatch(/\/evaluator\/artifacts\/[^/]+$/);
    expect(
      createHash('sha256')
        .update(readFileSync(join(parentPath, name)))
        .digest('hex'),
    ).toBe(name);
  }

  const document = JSON.parse(readFileSync(join(project, 'apps/api/openapi.json'), 'utf8')) as OpenApi;
  const accepted: string[] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    if (/^\/api\/v1\/evaluator(?:\/|$)/.test(path)) continue;
    for (const method of Object.keys(operations)) {
      const address = `http://127.0.0.1:${port}${path.replaceAll(/\{\w+\}/g, 'sentiment')}`;
      const { status, body } = await apiCall(address, method.toUpperCase(), { token });
      if (status !== 401 || body.code !== 'evaluator_token_refused')
        accepted.push(`${method} ${path}: ${status} ${body?.code}`);
    }
  }
  expect(accepted).toEqual([]);
  const { body } = await apiCall(`http://127.0.0.1:${port}/api/v1/evaluator`, 'GET', { token });
  expect(await evaluatorsOf(home, port)).toEqual([body.id]);
  return body.id as string;
}

function started(
  home: string,
  port: number,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const embedded = { DATABASE_URL: '', REDIS_URL: '' };
  const env = { ...process.env, ...embedded, ASSAY_HOME: home, PORT: String(port), ...environment };
  return new Promise((settle) => {
    execFile(join(project, 'scripts/up'), [...parameters], { cwd: project, env }, (error, stdout, stderr) =>
      settle({ code: error ? Number(error.code ?? 1) : 0, text: stdout + stderr }),
    );
  });
}

/** Returns the command lines that contain a path, of all processes. */
function processesThatName(path: string): readonly string[] {
  return runningCommands().filter((command) => command.includes(path));
}

const runningCommands = (): readonly string[] => ofProcesses('cmdline').map((text) => text.replaceAll('\0', ' '));

const environments = (): readonly Readonly<Record<string, string>>[] =>
  ofProcesses('environ').map((text) =>
    Object.fromEntries(
      text.split('\0').map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
    ),
  );

/** Returns the texts of a file in the folders of all processes. */
function ofProcesses(file: 'cmdline' | 'environ'): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/${file}`, 'utf8')];
      } catch {
        return []; // the process has ended meanwhile
      }
    });
}

function listening(port: number): Promise<Server> {
  return new Promise((settle) => {
    const server = createServer();
    server.listen(port, '0.0.0.0', () => settle(server));
  });
}
