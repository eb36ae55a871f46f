import { hash } from 'node:crypto';
import { constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runCommand } from '../command.js';
import { findProgram, installPackages, isAccessible, whyNotInstall } from './debian-packages.js';
import { endContainers, endLeftover, poll } from './processes.js';
import type { Progress } from './progress.js';
import { enterableDirectory } from './server-account.js';
import { SupervisedProcess } from './supervised-process.js';

const DEFAULT_SOCKET = 'unix:///var/run/docker.sock';

export interface EnginePlan {
  /** Folder for the images of a private engine. Created if it is missing. */
  readonly directory: string;
  readonly logs: string;
  /** `allowed` if Debian's package may be installed when there is no engine. */
  readonly install: 'allowed' | 'refused';
  readonly say: (text: string) => void;
  /** Returns the command that runs a program where the engine shall run. Default: beside this process. */
  readonly enter?: (command: string, parameters: readonly string[]) => Command;
  /**
   * True: a private engine maps the users of containers to users of the host that own nothing else
   * (`userns-remap`). It has no gVisor then, which does not start with the files of mapped users. Default: false.
   */
  readonly remapUsers?: boolean;
}

/** A program with its arguments. */
export interface Command {
  readonly command: string;
  readonly arguments: readonly string[];
}

export interface DockerEngine {
  /** Address in the form of `DOCKER_HOST`. */
  readonly host: string;
  readonly version: string;
  /** The process of the engine, if this script started it. */
  readonly process?: SupervisedProcess;
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
 * Finds or starts an engine as a step of `progress`.
 *
 * @param adopt takes over the engine before the step ends
 * @throws NoDockerEngine
 */
export function bringEngine(
  plan: Omit<EnginePlan, 'say'>,
  progress: Progress,
  adopt: (engine: DockerEngine) => void | Promise<void>,
): Promise<DockerEngine> {
  return progress.step('Looking for a Docker engine', async (detail) => {
    const engine = await findOrStartEngine({ ...plan, say: (text) => progress.say(text) });
    await adopt(engine);
    detail(`${engine.version} ${engine.process ? 'started privately' : 'found'} on ${engine.host}`);
    return engine;
  });
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
  const socket = DEFAULT_SOCKET.slice('unix://'.length);
  if (existsSync(socket) && !isAccessible(socket, constants.R_OK | constants.W_OK)) {
    throw new NoDockerEngine(
      `this user has no access to ${DEFAULT_SOCKET}; members of its group, usually docker, have`,
    );
  }

  if (!findProgram('dockerd')) {
    await install(plan);
    // with a service manager, the package has started an engine
    const started = await poll(() => answering(DEFAULT_SOCKET), existsSync('/run/systemd/system') ? 10_000 : 0);
    if (started) return started;
  }
  if (process.getuid?.() !== 0)
    throw new NoDockerEngine(`no engine answers on ${DEFAULT_SOCKET}, and only root can start one`);
  return startPrivately(plan);
}

/** Returns the engine at an address, or undefined if none answers there. */
function answering(host: string): Promise<DockerEngine | undefined> {
  return engineVersion(host).then(
    (version) => ({ host, version }),
    () => undefined,
  );
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
  const runtime = `/run/assay-${hash('sha256', plan.directory).slice(0, 10)}`;
  const host = `unix://${runtime}/docker.sock`;
  const data = plan.remapUsers ? enterableDirectory(plan.directory, 'docker') : plan.directory;
  await clear(data, runtime);

  mkdirSync(data, { recursive: true, mode: 0o711 });
  mkdirSync(runtime, { recursive: true, mode: 0o711 });
  const configuration = join(runtime, 'daemon.json');
  const { enter = (command, parameters) => ({ command, arguments: parameters }) } = plan;
  writeFileSync(configuration, JSON.stringify(engineConfiguration(data, runtime, host, plan.remapUsers), undefined, 2));
  const engine = new SupervisedProcess({
    name: 'The Docker engine',
    ...enter(findProgram('dockerd') ?? 'dockerd', [`--config-file=${configuration}`]),
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
      clear: () => clear(data, runtime),
      release: () => release(data, runtime),
    };
  } catch (error) {
    await engine.stop();
    await release(data, runtime);
    throw error;
  }
}

/**
 * Ends the leftovers of an engine that did not shut down gracefully, and removes what would prevent
 * the next start.
 */
async function clear(data: string, runtime: string): Promise<void> {
  const pidFile = join(runtime, 'docker.pid');
  // it may still be shutting down
  await endLeftover(pidFile, 'SIGTERM', 30_000, (pid) => `The Docker engine of an earlier start (process ${pid})`);
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

/**
 * Returns the engine's configuration. It has no bridge and no firewall rules: models have no
 * network, so the engine changes no network settings of the machine.
 */
function engineConfiguration(directory: string, runtime: string, host: string, remapUsers = false): object {
  const runsc = remapUsers ? undefined : findProgram('runsc');
  return {
    'data-root': directory,
    'exec-root': join(runtime, 'exec'),
    pidfile: join(runtime, 'docker.pid'),
    hosts: [host],
    bridge: 'none',
    iptables: false,
    'ip-forward': false,
    ...(remapUsers && { 'userns-remap': 'default' }),
    ...(runsc && {
      runtimes: {
        runsc: { path: runsc, runtimeArgs: ['--platform=ptrace', '--network=none', '--host-uds=create'] },
      },
    }),
  };
}

async function engineVersion(host: string): Promise<string> {
  const answer = await new Promise<string>((resolve, reject) => {
    const plan = { ...address(host), path: '/version', signal: AbortSignal.timeout(5000) };
    get(plan, (response) => resolve(text(response))).on('error', reject);
  });
  const { Version } = JSON.parse(answer) as { readonly Version?: unknown };
  if (typeof Version !== 'string') throw new Error('not a Docker engine');
  return Version;
}

function address(host: string): { readonly socketPath: string } | { readonly host: string; readonly port: number } {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) };
  const { hostname, port } = new URL(host);
  return { host: hostname, port: Number(port) || 2375 };
}
