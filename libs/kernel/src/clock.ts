/** Returns the whole seconds from `now` until `end`, rounded up and at least 1. */
export const secondsUntil = (end: Date, now: Date): number =>
  Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));

const DAY = 86_400_000;

/**
 * Returns the UTC day that contains `now`: its first moment and the first moment of the next day.
 */
export function dayOf(now: Date): { readonly start: Date; readonly end: Date } {
  const start = Math.floor(now.getTime() / DAY) * DAY;
  return { start: new Date(start), end: new Date(start + DAY) };
}

/**
 * Returns the result of `promise`, or rejects with the error of `late` after `milliseconds`. The
 * work behind the promise continues.
 */
export async function within<T>(
  milliseconds: number,
  promise: Promise<T>,
  late: () => Error = () => new Error(`no answer within ${milliseconds} ms`),
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
