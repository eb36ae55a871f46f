import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxData, SandboxDriver } from '@assay/sandbox';
import type { Held } from '@assay/persistence/locks';
import type { MeasuringLocks } from '../host/measuring-locks.js';

const PATIENCE = 3_000;
const LOOK_MILLISECONDS = 100;

export interface HiddenTurnParts {
  readonly locks: Pick<MeasuringLocks, 'tryHidden' | 'starting'>;
  readonly driver: Pick<SandboxDriver, 'countReadable'>;
  /** IDs of the accounts that own the model that is about to see hidden data. */
  readonly owners: readonly string[];
  readonly signal: AbortSignal;
  /**
   * Milliseconds that target models of the owners have to give way (default: 3,000). An idle model
   * does so immediately.
   */
  readonly patience?: number;
}

/**
 * Runs `work`. If it uses hidden data, holds the lock of `hiddenTurn` meanwhile.
 *
 * @returns false if the lock is not available now, and `work` was not run
 */
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
 * Waits until no target model of the owners runs on this host, so that a sandbox with hidden data
 * never runs at the same time as another sandbox of the same owner. No target model of theirs
 * starts while it is held.
 *
 * @returns null if such a model is in use and has not served for its turn yet
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

  /**
   * Counts under the lock that target models hold while they start: none can be between
   * its check for a hidden turn and the start of its container.
   */
  async function noneIsLive(): Promise<boolean> {
    const starting = await locks.starting(signal);
    try {
      return (await driver.countReadable(owners)) === 0;
    } finally {
      await starting.release();
    }
  }
}
