const STORED = 'assay-crowd-secret';
const BYTES = 32;

/**
 * Returns the secret that proves that this browser started an assignment, because others may know
 * the platform's IDs. It is stored for as long as the browser allows. If the browser refuses storage
 * in a frame, the secret is lost with the page.
 * @param storage returns `localStorage`; reading that property throws where storage is refused
 */
export function browserSecret(storage: () => Pick<Storage, 'getItem' | 'setItem'>): string {
  const fresh = [...crypto.getRandomValues(new Uint8Array(BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  try {
    const stored = storage().getItem(STORED);
    if (stored !== null) return stored;
    storage().setItem(STORED, fresh);
  } catch {
    // no storage in this frame
  }
  return fresh;
}
