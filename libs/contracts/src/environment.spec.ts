import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Environment } from './environment.js';

describe('the environment', () => {
  it('stands in the README, each setting of it', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
    const table = readme.slice(readme.indexOf('\n## Configuration'), readme.indexOf('\n## Security'));
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    const told = new Set(rows.flatMap((row) => row.split('|')[1]!.match(/[A-Z_]{4,}/g) ?? []));
    expect(Object.keys(Environment.shape).filter((name) => !told.has(name))).toEqual([]);
  });
});
