/** Where this browser keeps half-written examples of somebody. */
export const draftsOf = (username: string): string => `draft:${username}:`;

/** Forgets what somebody has begun and not sent, and what they compare: whoever uses this browser next need not see it. */
export function forgetWorkOf(
  username: string,
  { lasting = localStorage, ofWindow = sessionStorage }: { lasting?: Storage; ofWindow?: Storage } = {},
): void {
  const keys = Array.from({ length: lasting.length }, (_, index) => lasting.key(index) ?? '');
  for (const key of keys) if (key.startsWith(draftsOf(username))) lasting.removeItem(key);
  ofWindow.clear();
}
