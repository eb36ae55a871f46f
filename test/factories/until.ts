import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MILLISECONDS = 10;

/** Waits until `holds`, for what tells nobody that it has changed. @throws after `milliseconds`, with what did not hold */
export async function until(holds: () => boolean | Promise<boolean>, milliseconds = 30_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not so within ${milliseconds} ms: ${holds.toString()}`);
    await sleep(LOOK_MILLISECONDS);
  }
}
