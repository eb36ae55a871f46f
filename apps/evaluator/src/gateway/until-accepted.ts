import type { ChangedWarnings } from './changed-warnings.js';
import { pause } from './retries.js';

const REFUSED_MILLISECONDS = 30_000;

/**
 * Repeats a request every 30 s while the service refuses it, for example because it does not accept
 * the token or the protocol: an operator must change something.
 * @throws the reason of `signal`
 */
export async function untilAccepted<T>(
  request: () => Promise<T>,
  warnings: ChangedWarnings,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      const result = await request();
      warnings.clear();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      warnings.warn((error as Error).message);
      await pause(REFUSED_MILLISECONDS, signal);
    }
  }
}
