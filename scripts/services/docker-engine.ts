import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../command.js';
import { findProgram, installPackages, whyNotInstall } from './debian-packages.js';
import { endContainers } from './left-processes.js';
import { shortHash } from './short-hash.js';
import { SupervisedProcess } from './supervised-process.js';

const DEFAULT_SOCKET = 'unix:///var/run/docker.sock';

export interface EnginePlan {
  /** Folder for the images of a private engine. Created if it is missing. */
  readonly directory: string;
  readonly logs: string;
  /** `allowed` if Debian's package may be installed when there is no engine. */
  readonly install: 'allowed' | 'refused';
  readonly say: (text: string) => void;
}

export interface DockerEngine {
  /** Address in the form of `DOCKER_HOST`. */
  readonly host: string;
  readonly version: string;
  /** The process of the engine, if this script started it. */
  readonly process: SupervisedProcess | undefined;
  /**
   * Ends leftover processes of an engine that crashed. Call it before the process is started again.
   */
  readonly clear?: () => Promise<void>;
  /**
   * Call it after the engine has ended. Stops remaining containers and removes the mounts and the
   * socket.
   */
  readonly release?: () => Promise<void>;
}

/** No Docker engine is available. The message says why, and what to do. */
class NoDockerEngine extends Error {
  constructor(why: string) {
    super(
      `No Docker engine is available: ${why}.\n` +
        'Models run in Docker. Install it with `apt-get install docker.io` (Debian, Ubuntu) or from https://docs.docker.com/engine/install,\n' +
        'or set DOCKER_HOST to the address of a running engine (unix:///path/docker.sock or tcp://host:2375), and start again.',
    );
  }
}

/**
 * Returns the engine that answers on `DOCKER_HOST` or the usual socket; else starts a private one,
 * and installs its program if necessary.
 *
 * @throws NoDockerEngine
 */
export async function findOrStartEngine(plan: EnginePlan): Promise<DockerEngine> {
  const wanted = process.env['DOCKER_HOST'];
  const found = await answering(wanted ?? DEFAULT_SOCKET);
  if (found) return found;
  if (wanted) throw new NoDockerEngine(`no engine answers on DOCKER_HOST=${wanted}`);
  if (isForbidden(DEFAULT_SOCKET)) {
    throw new NoDockerEngine(
      `this user has no access to ${DEFAULT_SOCKET}; members of its group, usually docker, have`,
    );
  }

  if (!findProgram('dockerd')) {
    await install(plan);
    // with a service manager, the package has started an engine
    const started = await answeringSoon(DEFAULT_SOCKET, existsSync('/run/systemd/system') ? 10_000 : 0);
    if (started) return started;
  }
  if (process.getuid?.() !== 0)
    throw new NoDockerEngine(`no engine answers on ${DEFAULT_SOCKET}, and only root can start one`);
  return startPrivately(plan);
}

function isForbidden(host: string): boolean {
  const path = host.slice('unix://'.length);
  if (!existsSync(path)) return false;
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Returns the engine at an address, or undefined if none answers there. */
export async function answering(host: string): Promise<DockerEngine | undefined> {
  try {
    const version = await engineVersion(host);
    return { host, version, process: undefined };
  } catch {
    return undefined;
  }
}

async function install(plan: EnginePlan): Promise<void> {
  if (plan.install === 'refused') {
    throw new NoDockerEngine(`no engine answers on ${DEFAULT_SOCKET}, and --no-install does not allow installing one`);
  }
  const obstacle = whyNotInstall();
  if (obstacle)
    throw new NoDockerEngine(`no engine answers on ${DEFAULT_SOCKET}, and none can be installed because ${obstacle}`);
  plan.say("No Docker engine answers. Installing Debian's package docker.io, to start a private one.");
  await installPackages(['docker.io'], join(plan.logs, 'apt.log'));
}

/**
 * Starts a private engine in `plan.directory`, even if there are other engines. Needs root and an
 * installed `dockerd`.
 */
export async function startPrivately(plan: EnginePlan): Promise<DockerEngine> {
  // short, because the path of a Unix socket may have at most 107 bytes; and in memory (/run), like
  // the engine's own default
  const runtime = `/run/assay-${shortHash(plan.directory)}`;
  const host = `unix://${runtime}/docker.sock`;
  await clear(plan.directory, runtime);

  mkdirSync(plan.directory, { recursive: true, mode: 0o711 });
  mkdirSync(runtime, { recursive: true, mode: 0o711 });
  const configuration = join(runtime, 'daemon.json');
  writeFileSync(configuration, JSON.stringify(engineConfiguration(plan.directory, runtime, host), undefined, 2));
  const engine = new SupervisedProcess({
    name: 'The Docker engine',
    command: findProgram('dockerd') ?? 'dockerd',
    arguments: [`--config-file=${configuration}`],
    environment: {
      ...process.env,
      DOCKER_HOST: undefined,
      PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/bin:/sbin:/bin`,
    },
    log: join(plan.logs, 'docker.log'),
    stopSignal: 'SIGTERM',
    patience: 25_000,
  });
  try {
    await engine.until(async () => (await answering(host)) !== undefined, 60_000);
    return {
      host,
      version: await engineVersion(host),
      process: engine,
      clear: () => clear(plan.directory, runtime),
      release: () => release(plan.directory, runtime),
    };
  } catch (error) {
    await engine.stop();
    await release(plan.directory, runtime);
    throw error;
  }
}

/** Returns how to use an engine that was started privately with the `docker` command. */
export const privateEngineAdvice = (host: string): string =>
  'Its Docker engine runs as root and has no bridge network. To build an image with it:\n' +
  `  DOCKER_HOST=${host} docker build --network=host …`;

/**
 * Ends the leftovers of an engine that did not shut down gracefully, and removes what would prevent
 * the next start.
 */
async function clear(data: string, runtime: string): Promise<void> {
  const pidFile = join(runtime, 'docker.pid');
  await endLeftover(pidFile);
  await endContainers(data, join(runtime, 'exec'));
  // these process IDs may belong to other processes by now
  for (const file of [pidFile, join(runtime, 'exec/containerd/containerd.pid')]) rmSync(file, { force: true });
}

/**
 * Cleans up after an engine has ended. Only an engine that is fully started stops its containers:
 * one that was killed, or stopped during its start, leaves them running. The engine also
 * bind-mounts its data folder onto itself, and does not always unmount it.
 */
async function release(data: string, runtime: string): Promise<void> {
  await endContainers(data, join(runtime, 'exec'));
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => [data, runtime].some((root) => path === root || path.startsWith(`${root}/`)));
  if (mounts.length) await runCommand('umount', ['--lazy', ...mounts.reverse()]);
  rmSync(runtime, { recursive: true, force: true });
}

/** Ends the engine of a supervisor that was killed: it may still be shutting down. */
async function endLeftover(pidFile: string): Promise<void> {
  const isOurs = (pid: number): boolean => {
    const command = `/proc/${pid}/cmdline`;
    return pid > 1 && existsSync(command) && readFileSync(command, 'utf8').includes(dirname(pidFile));
  };
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
  if (!isOurs(pid)) return;
  process.kill(pid, 'SIGTERM');
  for (let waited = 0; isOurs(pid) && waited < 30_000; waited += 100) await sleep(100);
  if (isOurs(pid))
    throw new Error(`The Docker engine of an earlier start (process ${pid}) does not stop. Stop it first.`);
}

/**
 * Returns the engine's configuration. It has no bridge and no firewall rules: models have no
 * network, so the engine changes no network settings of the machine.
 */
function engineConfiguration(directory: string, runtime: string, host: string): object {
  const runsc = findProgram('runsc');
  return {
    'data-root': directory,
    'exec-root': join(runtime, 'exec'),
    pidfile: join(runtime, 'docker.pid'),
    hosts: [host],
    bridge: 'none',
    iptables: false,
    'ip-forward': false,
    ...(runsc && {
      runtimes: {
        runsc: { path: runsc, runtimeArgs: ['--platform=ptrace', '--network=none', '--host-uds=create'] },
      },
    }),
  };
}

async function answeringSoon(host: string, milliseconds: number): Promise<DockerEngine | undefined> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const engine = await answering(host);
    if (engine || Date.now() > deadline) return engine;
    await sleep(100);
  }
}

function engineVersion(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ ...address(host), path: '/version', timeout: 5000 }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('error', reject);
      response.on('end', () => {
        const version = response.statusCode === 200 ? (JSON.parse(text) as { Version?: unknown }).Version : undefined;
        if (typeof version === 'string') resolve(version);
        else reject(new Error(`not a Docker engine: status ${response.statusCode ?? 0}`));
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer within 5 s')));
    asked.on('error', reject);
    asked.end();
  });
}

function address(host: string): { readonly socketPath: string } | { readonly host: string; readonly port: number } {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) };
  const { hostname, port } = new URL(host);
  return { host: hostname, port: Number(port) || 2375 };
}
