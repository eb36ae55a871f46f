/** Returns the prefix of the `localStorage` keys that hold a user's example drafts. */
export const draftsOf = (username: string): string => `draft:${username}:`;

/**
 * Removes a user's unsent work from this browser: example drafts, submission drafts and the models
 * chosen for comparison. The next person to use the browser must not see it.
 */
export function forgetWorkOf(
  username: string,
  { lasting = localStorage, ofWindow = sessionStorage }: { lasting?: Storage; ofWindow?: Storage } = {},
): void {
  const keys = Array.from({ length: lasting.length }, (_, index) => lasting.key(index) ?? '');
  for (const key of keys) if (key.startsWith(draftsOf(username))) lasting.removeItem(key);
  ofWindow.clear();
}
