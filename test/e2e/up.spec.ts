import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { RoundView } from '@assay/contracts/rounds';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../scripts/services/free-port.js';
import { lives, readState } from '../../scripts/services/running-state.js';
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

function runningCommands(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
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
