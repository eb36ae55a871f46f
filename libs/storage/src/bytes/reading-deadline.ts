import { failure, type Failure } from '@assay/contracts/models';

/** Upper limit of the deadline: one day. Node's timers support about 24 days. */
const LONGEST_SECONDS = 86_400;

/**
 * Returns the seconds within which an artifact must be read: 60, plus one for each 10 MB, which a
 * slow disk manages. At most one day.
 * @param bytes what it may unpack to, or its own size, if that is larger
 */
export const readingSeconds = (bytes: number): number => Math.min(LONGEST_SECONDS, 60 + bytes / 10e6);

export interface ReadingDeadline {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Fails the run. */
  readonly fail: (why: Failure) => Promise<void>;
}

/**
 * Aborts work that exceeds its deadline and fails the run. The artifact gets no verdict: another
 * host may be faster.
 */
export async function withinDeadline(
  { seconds, signal, fail }: ReadingDeadline,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = AbortSignal.timeout(Math.round(seconds * 1000));
  try {
    await work(AbortSignal.any([signal, over]));
  } catch (error) {
    if (signal.aborted || !over.aborted) throw error;
    await fail(failure('reading_timeout', `Reading the artifact took more than ${Math.round(seconds)} s.`));
  }
}
