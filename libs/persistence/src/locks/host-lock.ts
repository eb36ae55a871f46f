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
