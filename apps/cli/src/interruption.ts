import { EXIT_CODES } from './command-failure.js';

const cleanUps = new Set<() => Promise<unknown>>();

/** Runs `work`, then `cleanUp`, however `work` ends: also if the user interrupts it with Ctrl-C. */
export async function withCleanUp<T>(cleanUp: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  cleanUps.add(cleanUp);
  try {
    return await work();
  } finally {
    cleanUps.delete(cleanUp);
    await cleanUp();
  }
}

/** Ends the process on Ctrl-C after all clean-ups, or immediately on a second Ctrl-C. */
export function endAtInterrupt(): void {
  process.once('SIGINT', () => {
    process.once('SIGINT', () => process.exit(EXIT_CODES.interrupted));
    void Promise.allSettled([...cleanUps].map((cleanUp) => cleanUp())).then(() => process.exit(EXIT_CODES.interrupted));
  });
}
