import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandLine, refuseUsage } from './command-line.js';
import { onStopSignal, project } from './command.js';
import { demonstrate } from './demo.js';
import { isFree } from './services/free-port.js';
import { Installation } from './services/installation.js';
import { poll } from './services/processes.js';
import { Progress } from './services/progress.js';
import { clearState, lives, readState, writeState } from './services/running-state.js';

const usage = `Usage: scripts/up [--detach] [--no-install] [--no-demo] [--userns-remap] [--restore DIR]
       scripts/up --down

Starts Assay on this machine: PostgreSQL, a Docker engine, the API, a worker, an evaluator and a demonstration task.
Stays in the foreground; Ctrl-C stops everything that it started.

  --detach      return when the service is ready, and leave it running
  --down        stop the service that --detach left running
  --no-install  never install a Debian package; say what is missing instead
  --no-demo     without the demonstration task
  --userns-remap
                if it starts a Docker engine: map the users of models to users of this machine that own nothing else.
                Such an engine builds no images with network access. Without effect where gVisor (runsc) is installed
  --restore DIR restore a backup (assay admin backup DIR) into an empty ASSAY_HOME; without the demonstration task

Environment: ASSAY_HOME (the folder for everything that is stored, default .assay), PORT (8080),
PUBLIC_URL (http://localhost:PORT), DATABASE_URL (a PostgreSQL to use instead of the embedded one),
DATABASE_OWNER_URL (the role that owns its tables, if it is another one), REDIS_URL (a Redis for the queue instead
of PostgreSQL), DOCKER_HOST (the Docker engine to use).`;

const flag = { type: 'boolean', default: false } as const;
const { values, positionals } = commandLine(usage, {
  detach: flag,
  down: flag,
  'no-install': flag,
  'no-demo': flag,
  'userns-remap': flag,
  // in the background process of --detach
  supervise: flag,
  restore: { type: 'string' },
});
if (positionals.length > 0) refuseUsage(usage, `Unknown argument: ${positionals.join(' ')}.`);
const { supervise } = values;
const detached = values.detach && !supervise;

const home = resolve(process.env['ASSAY_HOME'] ?? '.assay');
const port = Number(process.env['PORT'] ?? 8080);
const publicUrl = (process.env['PUBLIC_URL'] ?? `http://localhost:${port}`).replace(/\/$/, '');

/**
 * Prints a text, and sends it to the process that waits for the background process, if there is
 * one.
 */
function say(text: string): void {
  process.stdout.write(text);
  if (process.connected) process.send?.({ text });
}

async function main(): Promise<number> {
  if (values.down) return down();

  const running = readState(home);
  if (running && !supervise) {
    say(
      `Assay already runs: ${running.address} (process ${running.pid}, ${running.phase}). Stop it with scripts/up --down.\n`,
    );
    return detached && running.phase === 'ready' ? 0 : 1;
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return refuse(`PORT=${process.env['PORT'] ?? ''} is not a port number.`);
  if (!(await isFree(process.env['HOST'] ?? '0.0.0.0', port))) {
    return refuse(
      `Port ${port} is in use by another program. Stop that program, or choose another port: PORT=${port + 1} scripts/up`,
    );
  }
  return detached ? detach() : runUntilStopped();
}

/** Starts everything and runs until it is asked to stop. Returns the exit code. */
async function runUntilStopped(): Promise<number> {
  const progress = new Progress(say);
  const install = values['no-install'] ? 'refused' : 'allowed';
  const restore =
    values.restore === undefined ? undefined : resolve(process.env['ASSAY_UP_FROM'] ?? '.', values.restore);
  const installation = new Installation(
    { home, port, publicUrl, install, restore, remapUsers: values['userns-remap'] },
    progress,
  );
  const stop = stopRequest();
  writeState(home, publicUrl, 'starting');

  const start = bringUp(installation, progress).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  const failure = await Promise.race([start, stop]);
  if (failure === undefined) {
    writeState(home, publicUrl, 'ready');
    say(supervise ? `It runs in the background. Stop it with scripts/up --down.\n` : 'Ctrl-C stops it.\n');
    if (supervise) process.send?.({ ready: true });
    await stop;
  } else if (failure !== STOPPED) {
    progress.say(`\n${failure.message}\n`);
  }

  writeState(home, publicUrl, 'stopping');
  await progress.step('Stopping', () => installation.stop());
  clearState(home);
  return failure === undefined || failure === STOPPED ? 0 : 1;
}

async function bringUp(installation: Installation, progress: Progress): Promise<void> {
  const started = performance.now();
  const engine = await installation.start();
  if (!values['no-demo'] && values.restore === undefined) {
    await demonstrate({ home, address: `http://127.0.0.1:${port}` }, progress);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  progress.say(`\nAssay runs at ${publicUrl} (after ${seconds} s).`);
  progress.say(
    `Sign in at ${publicUrl}/sign-in with the administrator's token, from the file ${join(home, 'admin-token')}.`,
  );
  progress.say(`Logs are in ${join(home, 'logs')}.`);
  if (engine.process) {
    progress.say(
      'Its Docker engine runs as root and has no bridge network. To build an image with it:\n' +
        `  DOCKER_HOST=${engine.host} docker build --network=host …`,
    );
  }
}

const STOPPED = Symbol('stopped');

/**
 * Resolves on a signal, or when the process that waits for the background process ends before it is
 * ready.
 */
function stopRequest(): Promise<typeof STOPPED> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (): void => {
      // on a second request this process exits immediately, and the kernel signals its children
      if (asked) process.exit(130);
      asked = true;
      resolve(STOPPED);
    };
    onStopSignal(ask);
    if (supervise) {
      process.once('disconnect', () => {
        if (readState(home)?.phase === 'starting') ask();
      });
    }
  });
}

/** Runs this script in the background, and prints its output until it is ready. */
function detach(): Promise<number> {
  const logs = join(home, 'logs');
  mkdirSync(logs, { recursive: true });
  const log = openSync(join(logs, 'up.log'), 'a');
  const script = [...process.execArgv, join(project, 'scripts/up.ts'), '--supervise', ...process.argv.slice(2)];
  const background = spawn(process.execPath, script, {
    cwd: project,
    env: { ...process.env, ASSAY_HOME: home },
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  // the IPC channel closes with this process, and the background process then stops what it has
  // started
  onStopSignal(() => background.kill('SIGTERM'));
  return new Promise((resolve) => {
    background.on('message', (message: { readonly text?: string; readonly ready?: true }) => {
      if (message.text) process.stdout.write(message.text);
      if (!message.ready) return;
      background.disconnect();
      background.unref();
      resolve(0);
    });
    // it ended before it was ready: because of an error, or because it was asked to stop
    background.once('exit', (code) => resolve(code || 130));
  });
}

async function down(): Promise<number> {
  const running = readState(home);
  if (!running) {
    say(`No service of ${home} is running.\n`);
    return 0;
  }
  return new Progress(say).step('Stopping', async (detail) => {
    process.kill(running.pid, 'SIGTERM');
    if (!(await poll(() => !lives(running), 90_000))) {
      throw new Error(`Process ${running.pid} did not end within 90 s. See ${join(home, 'logs/up.log')}.`);
    }
    detail(`process ${running.pid}`);
    return 0;
  });
}

function refuse(why: string): number {
  process.stderr.write(`${why}\n`);
  return 1;
}

process.exitCode = await main().catch((error: unknown) => refuse((error as Error).message));
// pending work of a step (a download, a model) must not keep the terminal busy
process.exit();
