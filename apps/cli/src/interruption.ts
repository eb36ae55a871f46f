import { EXIT_CODES } from './exit-codes.js';

const cleanUps = new Set<() => Promise<unknown>>();

/** Does `work`, then `cleanUp`, however it ends: also where the user interrupts it. */
export async function withCleanUp<T>(cleanUp: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  cleanUps.add(cleanUp);
  try {
    return await work();
  } finally {
    cleanUps.delete(cleanUp);
    await cleanUp();
  }
}

/** Ends the process at Ctrl-C, once what has to be cleaned up is; at the second one at once. */
export function endAtInterrupt(): void {
  process.once('SIGINT', () => {
    process.once('SIGINT', () => process.exit(EXIT_CODES.interrupted));
    void Promise.allSettled([...cleanUps].map((cleanUp) => cleanUp())).then(() => process.exit(EXIT_CODES.interrupted));
  });
}
