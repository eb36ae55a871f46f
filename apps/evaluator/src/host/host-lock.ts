import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MILLISECONDS = 100;
/** Milliseconds within which a live holder has closed a connection. */
const CLOSING_MILLISECONDS = 20;
/**
 * Seconds after which a holder that does not answer is bypassed. Longer than any event loop should
 * be blocked; by then the holder's lease has expired as well.
 */
const SILENT_SECONDS = 60;
/** The number of socket names of one lock. All but one of them may have a silent holder. */
const SLOTS = 3;

/**
 * A lock among the processes of this host. It ends with the process that holds it, however that
 * ends. The lock is an abstract Unix socket (unix(7)): the kernel gives a name to one process at a
 * time, and nothing remains on the disk. A live holder closes every connection immediately. A
 * holder that has been silent for too long (stopped or hanging) is bypassed by taking the next of
 * the lock's names.
 */
export class HostLock {
  private constructor(private readonly server: Server) {}

  /**
   * Waits until the lock is free or its holder has been silent for too long.
   *
   * @throws the reason of `signal`
   */
  static async acquire(name: string, signal: AbortSignal, silentSeconds = SILENT_SECONDS): Promise<HostLock> {
    for (;;) {
      signal.throwIfAborted();
      const lock = await HostLock.tryAcquire(name, silentSeconds);
      if (lock) return lock;
      await sleep(RETRY_MILLISECONDS, undefined, { signal });
    }
  }

  /** @returns null if another process, or this one, holds the lock */
  static async tryAcquire(name: string, silentSeconds = SILENT_SECONDS): Promise<HostLock | null> {
    const all = addresses(name);
    for (const address of all) {
      const server = await listen(address);
      if (server) {
        const lock = new HostLock(server);
        // a process that bypassed a silent holder has a later name of the lock, while an earlier
        // one may have become free since
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

  /**
   * True if a process of this host, including this one, holds the lock and is not silent. Does not
   * interfere with attempts to acquire it.
   */
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

/** @returns null if the address is in use */
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

/** A connection to a holder that the holder has not closed yet. */
interface Question {
  readonly since: number;
  readonly connected: Promise<boolean>;
  readonly closed: Promise<void>;
}

/** Open connections by address. A live holder leaves none open. */
const questions = new Map<string, Question>();

/**
 * True if the address has a holder that was not silent for `silentSeconds`, as far as this process
 * has observed.
 */
async function answers(address: string, silentSeconds: number): Promise<boolean> {
  // an earlier connection that the former holder is about to close says nothing about the present
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

/** A lock that is held until it is released or its process ends. */
export type Held = Pick<HostLock, 'release'>;

/** The locks that coordinate measurements on a host. */
export interface MeasuringLocks {
  /**
   * Acquires the measuring lock. Only one model is evaluated on a host at a time: two would disturb
   * each other's measurements.
   *
   * @throws the reason of `signal`
   */
  measuring(signal: AbortSignal, silentSeconds?: number): Promise<Held>;
  /** @returns null if a measurement is in progress */
  tryMeasuring(): Promise<Held | null>;
  /**
   * Acquires the timing lock. A session with the measuring lock holds it only during its timed
   * passes, and the start of a target model holds it as well, so that the two exclude each other.
   *
   * @throws the reason of `signal`
   */
  timed(signal: AbortSignal): Promise<Held>;
  /** True if a timed pass or a start is in progress, so that target models must not answer. */
  isTiming(): Promise<boolean>;
  /**
   * Acquires the locks that a run holds while it uses hidden data of these owners' models.
   * Meanwhile no target model of these owners runs on this host.
   *
   * @returns null if another run of one of the owners holds its lock, or `tryRestart` holds one
   */
  tryHidden(owners: readonly string[]): Promise<Held | null>;
  /** True if a run of one of these owners uses hidden data on this host, or is about to. */
  isHidden(owners: readonly string[]): Promise<boolean>;
  /**
   * Acquires the locks that a target model of these owners holds while people ask it and runs on
   * hidden data keep it from starting. Meanwhile no such run begins on this host.
   *
   * @returns null if another target model of one of the owners holds its lock
   */
  tryRestart(owners: readonly string[]): Promise<Held | null>;
}

/**
 * Returns the locks of this host. With a `scope`, a separate set that is shared only under the same
 * scope.
 */
export function measuringLocks(scope = ''): MeasuringLocks {
  const [measuring, timed] = [`${scope}measuring`, `${scope}timed`];
  const hidden = (owners: readonly string[]) => owners.map((owner) => `${scope}hidden-${owner}`).sort();
  const restart = (owners: readonly string[]) => owners.map((owner) => `${scope}restart-${owner}`).sort();
  return {
    measuring: (signal, silentSeconds) => HostLock.acquire(measuring, signal, silentSeconds),
    tryMeasuring: () => HostLock.tryAcquire(measuring),
    timed: (signal) => HostLock.acquire(timed, signal),
    isTiming: () => HostLock.isHeld(timed),
    tryHidden: async (owners) => {
      const held = await tryAll(hidden(owners));
      if (!held || !(await isAnyHeld(restart(owners)))) return held;
      await held.release();
      return null;
    },
    isHidden: (owners) => isAnyHeld(hidden(owners)),
    tryRestart: (owners) => tryAll(restart(owners)),
  };
}

const isAnyHeld = async (names: readonly string[]): Promise<boolean> =>
  (await Promise.all(names.map((name) => HostLock.isHeld(name)))).includes(true);

/** Acquires all of these locks, or none. */
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
