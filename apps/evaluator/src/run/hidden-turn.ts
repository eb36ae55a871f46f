import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxData, SandboxDriver } from '@assay/sandbox';
import type { Held, MeasuringLocks } from '../host/host-lock.js';

const PATIENCE = 3_000;
const LOOK_MILLISECONDS = 100;

export interface HiddenTurnParts {
  readonly locks: Pick<MeasuringLocks, 'tryHidden' | 'timed'>;
  readonly driver: Pick<SandboxDriver, 'countReadable'>;
  /** Ids of the accounts whose model is about to see hidden data. */
  readonly owners: readonly string[];
  readonly signal: AbortSignal;
  /** Milliseconds for which live models of the owners may give way (3,000): one that is idle does so at once. */
  readonly patience?: number;
}

/** Does `work`, in a turn of its own (`hiddenTurn`) where it uses hidden data. @returns false where now is no time for it */
export async function inTurn(
  data: readonly SandboxData[],
  parts: HiddenTurnParts,
  work: () => Promise<void>,
): Promise<boolean> {
  if (!data.includes('hidden')) return work().then(() => true);
  const turn = await hiddenTurn(parts);
  if (!turn) return false;
  try {
    await work();
  } finally {
    await turn.release();
  }
  return true;
}

/**
 * Waits until no live model of the owners runs on this host, so that a sandbox with hidden data never runs beside another
 * one of the same owner. While it is held none starts.
 * @returns null where one is in use: people go before runs
 */
export async function hiddenTurn({
  locks,
  driver,
  owners,
  signal,
  patience = PATIENCE,
}: HiddenTurnParts): Promise<Held | null> {
  const turn = await locks.tryHidden(owners);
  if (!turn) return null;
  let isOurs = false;
  try {
    const until = performance.now() + patience;
    for (;;) {
      isOurs = await noneIsLive();
      if (isOurs || performance.now() >= until) return isOurs ? turn : null;
      await sleep(LOOK_MILLISECONDS, undefined, { signal });
    }
  } finally {
    if (!isOurs) await turn.release();
  }

  /** Counted under the lock that live models start under: none is between its look at this turn and its container. */
  async function noneIsLive(): Promise<boolean> {
    const starting = await locks.timed(signal);
    try {
      return (await driver.countReadable(owners)) === 0;
    } finally {
      await starting.release();
    }
  }
}
