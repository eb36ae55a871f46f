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
