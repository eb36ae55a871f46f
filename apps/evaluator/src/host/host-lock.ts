import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MILLISECONDS = 100;
/** A holder that lives has closed a connection by then. */
const CLOSING_MILLISECONDS = 20;
/** After which a holder that does not answer is passed by: longer than any loop should be blocked, and by then its lease is over too. */
const SILENT_SECONDS = 60;
/** Names of one lock: so many but one of its holders may be silent. */
const SLOTS = 3;

/**
 * A lock among the processes of this host, which ends with the process that holds it, however that ends. It is an abstract Unix socket
 * (unix(7)): the kernel gives a name to one process at a time, and nothing is left on the disk. A holder that lives closes every connection
 * at once; one that has been silent for long (it was stopped, or hangs) is passed by, under the next of the lock's names.
 */
export class HostLock {
  private constructor(private readonly server: Server) {}

  /** Waits until the lock is free, or its holder was silent for too long. @throws the reason of `signal` */
  static async acquire(name: string, signal: AbortSignal, silentSeconds = SILENT_SECONDS): Promise<HostLock> {
    for (;;) {
      signal.throwIfAborted();
      const lock = await HostLock.tryAcquire(name, silentSeconds);
      if (lock) return lock;
      await sleep(RETRY_MILLISECONDS, undefined, { signal });
    }
  }

  /** @returns null where another process, or this one, holds it */
  static async tryAcquire(name: string, silentSeconds = SILENT_SECONDS): Promise<HostLock | null> {
    const all = addresses(name);
    for (const address of all) {
      const server = await listen(address);
      if (server) {
        const lock = new HostLock(server);
        // whoever has passed by a silent holder has a later name than one that has come free since
        const others = await Promise.all(
          all.filter((other) => other !== address).map((other) => answers(other, silentSeconds)),
        );
        if (!others.includes(true)) return lock;
        await lock.release();
        return null;
      }
      if (await answers(address, silentSeconds)) return null;
    }
    return null;
  }

  /** Whether a process of this host, or this one, holds it and is not silent; does not get in the way of who wants it. */
  static async isHeld(name: string, silentSeconds = SILENT_SECONDS): Promise<boolean> {
    const held = await Promise.all(addresses(name).map((address) => answers(address, silentSeconds)));
    return held.includes(true);
  }

  async release(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const addresses = (name: string): readonly string[] =>
  Array.from({ length: SLOTS }, (_, slot) => `\0assay-${name}${slot === 0 ? '' : `~${slot}`}`);

/** @returns null where the address is taken */
function listen(address: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(address, () => resolve(server.unref()));
  });
}

/** A connection that its other end has not closed yet. */
interface Question {
  readonly since: number;
  readonly connected: Promise<boolean>;
  readonly closed: Promise<void>;
}

/** By address. A holder that lives leaves none open. */
const questions = new Map<string, Question>();

/** Whether somebody holds the address who was not silent for `silentSeconds`, as far as this process has seen. */
async function answers(address: string, silentSeconds: number): Promise<boolean> {
  // what was asked before the holder let go says nothing of now
  await Promise.race([questions.get(address)?.closed, sleep(CLOSING_MILLISECONDS, undefined, { ref: false })]);
  const question = questions.get(address) ?? ask(address);
  return (await question.connected) && performance.now() - question.since < silentSeconds * 1000;
}

function ask(address: string): Question {
  const socket = connect(address).unref();
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      questions.delete(address);
      resolve();
    });
  });
  socket.on('error', () => undefined);
  const question = { since: performance.now(), connected: isConnected(socket), closed };
  questions.set(address, question);
  return question;
}

function isConnected(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
}

/** What is held until it is released, or its process ends. */
export type Held = Pick<HostLock, 'release'>;

/** The locks under which models are measured. */
export interface MeasuringLocks {
  /** Only one model is evaluated on a host at a time: two would measure each other. @throws the reason of `signal` */
  measuring(signal: AbortSignal, silentSeconds?: number): Promise<Held>;
  /** @returns null where something is measured now */
  tryMeasuring(): Promise<Held | null>;
  /**
   * Of a session that holds the measuring lock only the passes that are timed hold this one, and the start of a model in the loop: the one
   * waits for the other. @throws the reason of `signal`
   */
  timed(signal: AbortSignal): Promise<Held>;
  /** Whether something is timed now, so that models in the loop must keep still. */
  isTiming(): Promise<boolean>;
  /**
   * Held while a run of these owners uses hidden data: no live model of theirs is on this host meanwhile.
   * @returns null where another run of one of them does
   */
  tryHidden(owners: readonly string[]): Promise<Held | null>;
  /** Whether a run of one of these owners uses hidden data on this host, or is about to. */
  isHidden(owners: readonly string[]): Promise<boolean>;
}

/** Those of this host; with a `scope`, others that only who names the same one takes. */
export function measuringLocks(scope = ''): MeasuringLocks {
  const [measuring, timed] = [`${scope}measuring`, `${scope}timed`];
  return {
    measuring: (signal, silentSeconds) => HostLock.acquire(measuring, signal, silentSeconds),
    tryMeasuring: () => HostLock.tryAcquire(measuring),
    timed: (signal) => HostLock.acquire(timed, signal),
    isTiming: () => HostLock.isHeld(timed),
    tryHidden: (owners) => tryAll(owners.map((owner) => `${scope}hidden-${owner}`).sort()),
    isHidden: async (owners) =>
      (await Promise.all(owners.map((owner) => HostLock.isHeld(`${scope}hidden-${owner}`)))).includes(true),
  };
}

/** All of these locks, or none. */
async function tryAll(names: readonly string[]): Promise<Held | null> {
  const held: Held[] = [];
  const release = async () => {
    for (const lock of held) await lock.release();
  };
  for (const name of names) {
    const lock = await HostLock.tryAcquire(name);
    if (!lock) return release().then(() => null);
    held.push(lock);
  }
  return { release };
}
