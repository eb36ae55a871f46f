import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Held, HostLock } from '@assay/persistence/locks';

const RETRY_MILLISECONDS = 100;
/** The most runs on readable data that are in progress on a host at the same time. */
const SHARES = 64;

/** The digits of the hash of a scope in the names of its locks: the kernel limits names to 107 bytes. */
const SCOPE_DIGITS = 16;

/** Returns the name of a lock that is shared only under the same scope, such as the ID of an engine. */
export const scopedLock = (scope: string, name: string): string =>
  `${createHash('sha256').update(scope).digest('hex').slice(0, SCOPE_DIGITS)}-${name}`;

/** The locks that coordinate runs and measurements on a host. */
export interface MeasuringLocks {
  /**
   * Acquires the measuring lock, for a run on hidden data: no other run has a sandbox on this host at the
   * same time, because the two could exchange data by the page cache of layers that they share.
   *
   * @throws the reason of `signal`
   */
  measuring(signal: AbortSignal, silentSeconds?: number): Promise<Held>;
  /**
   * Acquires the measuring lock, for a measurement.
   *
   * @returns null if a run is in progress
   */
  tryMeasuring(): Promise<Held | null>;
  /**
   * Acquires a share of the measuring lock, for a run on readable data only: such runs are in progress at
   * the same time. Waits behind a run that waits for the whole lock.
   *
   * @throws the reason of `signal`
   */
  answering(signal: AbortSignal, silentSeconds?: number): Promise<Held>;
  /**
   * Acquires the lock that a target model holds from its check for a run on hidden data to the start
   * of its container, so that such a run can wait for the end of both.
   *
   * @throws the reason of `signal`
   */
  starting(signal: AbortSignal): Promise<Held>;
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

/** Returns the locks of this host that are shared by the evaluators with the same `scope`. */
export function measuringLocks(scope: string): MeasuringLocks {
  const named = (name: string) => scopedLock(scope, name);
  const [measuring, starting] = [named('measuring'), named('starting')];
  const shares = Array.from({ length: SHARES }, (_, share) => named(`answering-${share}`));
  const hidden = (owners: readonly string[]) => owners.map((owner) => named(`hidden-${owner}`)).sort();
  const restart = (owners: readonly string[]) => owners.map((owner) => named(`restart-${owner}`)).sort();
  return {
    measuring: async (signal, silentSeconds) => {
      // held from now on, so that no share is acquired any more
      const held = await HostLock.acquire(measuring, signal, silentSeconds);
      try {
        for (const share of shares) {
          while (await HostLock.isHeld(share, silentSeconds)) await sleep(RETRY_MILLISECONDS, undefined, { signal });
        }
        return held;
      } catch (error) {
        await held.release();
        throw error;
      }
    },
    tryMeasuring: async () => {
      const held = await HostLock.tryAcquire(measuring);
      if (!held || !(await isAnyHeld(shares))) return held;
      await held.release();
      return null;
    },
    answering: async (signal, silentSeconds) => {
      const whole = await HostLock.acquire(measuring, signal, silentSeconds);
      try {
        for (;;) {
          for (const share of shares) {
            const held = await HostLock.tryAcquire(share, silentSeconds);
            if (held) return held;
          }
          await sleep(RETRY_MILLISECONDS, undefined, { signal });
        }
      } finally {
        await whole.release();
      }
    },
    starting: (signal) => HostLock.acquire(starting, signal),
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
