/**
 * Returns whether a prerequisite of some tests is present. If it is not, they are skipped with a
 * message. In `CI` that is an error, because `scripts/test` has to provide it.
 * @param found Truthy if it is present.
 * @param what The name of the prerequisite and where it comes from.
 */
export function isHere(found: unknown, what: string): boolean {
  if (found) return true;
  if (process.env['CI']) throw new Error(`There is no ${what}: scripts/test brings it, or says why it can't.`);
  console.warn(`SKIPPED: there is no ${what}`);
  return false;
}
