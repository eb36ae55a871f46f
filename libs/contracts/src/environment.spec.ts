import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Environment } from './environment.js';

describe('the environment', () => {
  it('is documented, setting by setting', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/configuration.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const told = new Set(rows.flatMap((row) => row.split('|')[1]!.match(/[A-Z_]{4,}/g) ?? []));
    expect(Object.keys(Environment.shape).filter((name) => !told.has(name))).toEqual([]);
  });
});
