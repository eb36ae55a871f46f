import { problemOf } from '../session/problem.js';

/** Milliseconds between two attempts. */
const PAUSE = 3_000;
const MOST_RETRIES = 100;

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Repeats a request while the service answers 503, because a model is starting. A sent example has
 * a key, so it stays one example however often it is sent.
 * @param onWait receives the reason before each pause
 */
export async function whileStarting<T>(
  request: () => Promise<T>,
  onWait: (reason: string) => void,
  pause: (milliseconds: number) => Promise<void> = sleep,
): Promise<T> {
  for (let left = MOST_RETRIES; ; left -= 1) {
    try {
      return await request();
    } catch (error) {
      const { status, detail } = problemOf(error);
      if (status !== 503 || left === 0) throw error;
      onWait(detail);
      await pause(PAUSE);
    }
  }
}
