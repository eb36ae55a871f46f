/** An address that came in a link, if it stays in the dashboard; its start otherwise. */
export const addressWithin = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/');
