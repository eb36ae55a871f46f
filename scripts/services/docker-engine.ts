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
  /** Where an engine of our own keeps its images; made when missing. */
  readonly directory: string;
  readonly logs: string;
  /** Whether Debian's package may be installed when there is no engine. */
  readonly install: 'allowed' | 'refused';
  readonly say: (text: string) => void;
}

export interface DockerEngine {
  /** As in `DOCKER_HOST`. */
  readonly host: string;
  readonly version: string;
  /** The engine's own process when we started it. */
  readonly process: SupervisedProcess | undefined;
  /** To be called after an end that was not asked for, before its process is started again: ends what it left. */
  readonly clear?: () => Promise<void>;
  /** To be called after its end: leaves no container running, nothing mounted, and no socket. */
  readonly release?: () => Promise<void>;
}

/** There is no engine, and why none could be had, with what to do. */
export class NoDockerEngine extends Error {
  constructor(why: string) {
    super(
      `There is no Docker engine: ${why}.\n` +
        'Models run in one. Get it with `apt-get install docker.io` (Debian, Ubuntu) or from https://docs.docker.com/engine/install,\n' +
        'or set DOCKER_HOST to the address of one that runs (unix:///path/docker.sock or tcp://host:2375), and start again.',
    );
  }
}

/** The engine that answers on `DOCKER_HOST` or the usual socket; else a private one, its program installed if need be. */
export async function findOrStartEngine(plan: EnginePlan): Promise<DockerEngine> {
  const wanted = process.env['DOCKER_HOST'];
  const found = await answering(wanted ?? DEFAULT_SOCKET);
  if (found) return found;
  if (wanted) throw new NoDockerEngine(`nothing answers on DOCKER_HOST=${wanted}`);
  if (isForbidden(DEFAULT_SOCKET)) {
    throw new NoDockerEngine(`this user may not open ${DEFAULT_SOCKET} (its group, mostly docker, may)`);
  }

  if (!findProgram('dockerd')) {
    await install(plan);
    // where a service manager runs, the package has started an engine
    const started = await answeringSoon(DEFAULT_SOCKET, existsSync('/run/systemd/system') ? 10_000 : 0);
    if (started) return started;
  }
  if (process.getuid?.() !== 0)
    throw new NoDockerEngine(`none answers on ${DEFAULT_SOCKET}, and only root can start one`);
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

/** The engine at an address, if it answers there. */
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
    throw new NoDockerEngine(`none answers on ${DEFAULT_SOCKET}, and --no-install forbids installing one`);
  }
  const obstacle = whyNotInstall();
  if (obstacle)
    throw new NoDockerEngine(`none answers on ${DEFAULT_SOCKET}, and none can be installed because ${obstacle}`);
  plan.say("No Docker engine answers: installing Debian's package docker.io, to be started privately.");
  await installPackages(['docker.io'], join(plan.logs, 'apt.log'));
}

/** An engine of our own in `plan.directory`, whatever others there are. Needs root, and the program. */
export async function startPrivately(plan: EnginePlan): Promise<DockerEngine> {
  // short, because a Unix socket's path may have 107 bytes, and in memory, as it is the engine's own habit
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

/** Ends what an engine left that did not end in good order, and what would keep the next from its start. */
async function clear(data: string, runtime: string): Promise<void> {
  const pidFile = join(runtime, 'docker.pid');
  await endLeftover(pidFile);
  await endContainers(data, join(runtime, 'exec'));
  // the numbers may be another's by now
  for (const file of [pidFile, join(runtime, 'exec/containerd/containerd.pid')]) rmSync(file, { force: true });
}

/**
 * Only an engine that is fully up ends its containers: one that was killed, or stopped while it loaded, leaves them. The engine mounts its data
 * folder upon itself and does not always take that back.
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

/** The engine of a supervisor that was killed outright may still be ending. */
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
    throw new Error(`The Docker engine of an earlier start (process ${pid}) does not end. End it first.`);
}

/** No bridge and no firewall rules: models have no network, so the engine changes nothing of the machine's. */
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
