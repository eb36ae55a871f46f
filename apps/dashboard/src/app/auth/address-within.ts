/** Returns `next` if it is a path of the dashboard, otherwise `/`. Prevents open redirects. */
export const addressWithin = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/');
