import { expect } from '@jest/globals';

/** That the page at `address` runs nothing of its own text, loads nothing from elsewhere, and is framed by `ancestors` alone. */
export async function expectGuardedPage(address: string, ancestors?: string): Promise<void> {
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
  const page = await answer.text();
  if (!answer.headers.get('content-type')?.startsWith('text/html')) return;
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/i);
  expect(page).not.toMatch(/\son\w+\s*=|javascript:/i);
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//i);
}
