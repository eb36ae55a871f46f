/**
 * Whether there is what some tests need. Without it they are skipped, and it is said; where everything has to be shown (`CI`) that is an error, as
 * `scripts/test` brings it.
 * @param what they need, and whose it is
 */
export function isHere(found: unknown, what: string): boolean {
  if (found) return true;
  if (process.env['CI']) throw new Error(`There is no ${what}: scripts/test brings it, or says why it can't.`);
  console.warn(`SKIPPED: there is no ${what}`);
  return false;
}
