export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

const DAY = 86_400_000;

/** The day of UTC that `now` is in: its first moment, and that of the next. */
export function dayOf(now: Date): { readonly start: Date; readonly end: Date } {
  const start = Math.floor(now.getTime() / DAY) * DAY;
  return { start: new Date(start), end: new Date(start + DAY) };
}
