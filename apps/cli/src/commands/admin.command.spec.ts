import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ADMIN_PROGRAMS } from './admin.command.js';

/** The file that the build compiles to `program`. */
const sourceOf = (program: string): string =>
  join(import.meta.dirname, '../../../..', program.replace(/^services\//, '').replace(/\.js$/, '.ts'));

describe('assay admin', () => {
  it.each(Object.entries(ADMIN_PROGRAMS))('starts a program that the build makes for %s', (_, [program]) => {
    expect(existsSync(sourceOf(program))).toBe(true);
  });
});
