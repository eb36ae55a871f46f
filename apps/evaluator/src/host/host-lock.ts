import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MILLISECONDS = 100;

/**
 * A lock among the processes of this host, which ends with the process that holds it, however that ends. It is an abstract Unix socket
 * (unix(7)): the kernel gives a name to one process at a time, and nothing is left on the disk.
 */
export class HostLock {
  private constructor(private readonly server: Server) {}

  /** Waits until the lock is free. @throws the reason of `signal` */
  static async acquire(name: string, signal: AbortSignal): Promise<HostLock> {
    for (;;) {
      signal.throwIfAborted();
      const lock = await HostLock.tryAcquire(name);
      if (lock) return lock;
      await sleep(RETRY_MILLISECONDS, undefined, { signal });
    }
  }

  /** @returns null where another process, or this one, holds it */
  static tryAcquire(name: string): Promise<HostLock | null> {
    const server = createServer((socket) => socket.destroy());
    return new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(null);
        else reject(error);
      });
      server.listen(`\0assay-${name}`, () => resolve(new HostLock(server.unref())));
    });
  }

  /** Whether a process of this host, or this one, holds it; does not get in the way of who wants it. */
  static isHeld(name: string): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(`\0assay-${name}`);
      const settle = (held: boolean) => {
        socket.destroy();
        resolve(held);
      };
      socket.once('connect', () => settle(true));
      socket.once('error', () => settle(false));
    });
  }

  async release(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Only one model is evaluated on a host at a time: two would measure each other. */
export const acquireMeasuringLock = (signal: AbortSignal): Promise<HostLock> => HostLock.acquire('measuring', signal);

/** @returns null where something is measured now */
export const tryMeasuringLock = (): Promise<HostLock | null> => HostLock.tryAcquire('measuring');

/**
 * Of a session that holds the measuring lock only the passes that are timed hold this one, and the start of a model in the loop: the one waits
 * for the other.
 */
export const acquireTimedLock = (signal: AbortSignal): Promise<HostLock> => HostLock.acquire('timed', signal);

/** Whether something is timed on this host now, so that models in the loop must keep still. */
export const isTiming = (): Promise<boolean> => HostLock.isHeld('timed');
