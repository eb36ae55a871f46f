export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Whole seconds from `now` until `end`, one at least. */
export const secondsUntil = (end: Date, now: Date): number =>
  Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));

const DAY = 86_400_000;

/** The day of UTC that `now` is in: its first moment, and that of the next. */
export function dayOf(now: Date): { readonly start: Date; readonly end: Date } {
  const start = Math.floor(now.getTime() / DAY) * DAY;
  return { start: new Date(start), end: new Date(start + DAY) };
}
