import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MILLISECONDS = 10;

/**
 * Polls until `holds` returns true. For conditions that send no notification.
 * @throws Error after `milliseconds`, with the source of the condition.
 */
export async function until(holds: () => boolean | Promise<boolean>, milliseconds = 30_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not so within ${milliseconds} ms: ${holds.toString()}`);
    await sleep(LOOK_MILLISECONDS);
  }
}
