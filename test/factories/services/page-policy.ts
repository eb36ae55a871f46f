import { expect } from '@jest/globals';

/** The inline styles without a nonce that a page may have at most. */
export type InlineStyles = 'none' | 'attributes' | 'all';

const INLINE = "'unsafe-inline'";
const OWN_STYLES = /^'(?:self|none|nonce-[A-Za-z0-9+/]{22}==)'$/;

/**
 * Expects the page at `address` to have no inline scripts, no inline styles other than those with a
 * nonce and those that `inlineStyles` allows, no resources from other hosts, and no other frame
 * ancestors than `ancestors`.
 */
export async function expectGuardedPage(
  address: string,
  { inlineStyles, ancestors }: { readonly inlineStyles: InlineStyles; readonly ancestors?: string },
): Promise<void> {
  const answer = await fetch(address, { redirect: 'manual' });
  const policy = Object.fromEntries(
    answer.headers
      .get('content-security-policy')!
      .split(';')
      .map((directive) => directive.trim().split(/ (.*)/s)),
  ) as Record<string, string | undefined>;
  expect(policy['default-src']).toBe(`'none'`);
  expect(policy['object-src']).toBe(`'none'`);
  expect(policy['base-uri']).toMatch(/^'(?:self|none)'$/);
  expect(policy['script-src'] ?? policy['default-src']).toMatch(/^'(?:self|none)'$/);
  if (ancestors !== undefined) expect(policy['frame-ancestors']).toBe(ancestors);
  expectStyles(policy, inlineStyles);
  const page = await answer.text();
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return;
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/i);
  expect(page).not.toMatch(/\son\w+\s*=|javascript:/i);
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//i);
  if (inlineStyles === 'all') return;
  expect(page).not.toMatch(/<style(?![^>]*\snonce=)[^>]*>/i);
  expect(page).not.toMatch(/<[^>]*\sstyle\s*=/i);
}

/** Style directives fall back to `style-src`, and that one to `default-src`. */
function expectStyles(policy: Readonly<Record<string, string | undefined>>, inlineStyles: InlineStyles): void {
  const styles = policy['style-src'] ?? policy['default-src']!;
  const sources = [policy['style-src-elem'] ?? styles, policy['style-src-attr'] ?? styles].map((each) =>
    each.split(' '),
  );
  const [elements, attributes] = sources.map((each) => each.includes(INLINE));
  expect({ elements, attributes }).toEqual({
    elements: inlineStyles === 'all' ? expect.any(Boolean) : false,
    attributes: inlineStyles === 'none' ? false : expect.any(Boolean),
  });
  for (const source of sources.flat().filter((each) => each !== INLINE)) expect(source).toMatch(OWN_STYLES);
}
