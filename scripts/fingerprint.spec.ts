import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fingerprint } from './fingerprint.js';

describe('fingerprint', () => {
  let root: string;
  const everything = (): boolean => true;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fingerprint-'));
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src/a.ts'), 'one');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('stays when nothing changed and changes with a byte', () => {
    const before = fingerprint(root, ['src'], everything);

    expect(fingerprint(root, ['src'], everything)).toBe(before);
    writeFileSync(join(root, 'src/a.ts'), 'two');
    expect(fingerprint(root, ['src'], everything)).not.toBe(before);
  });

  it('changes with a name', () => {
    const before = fingerprint(root, ['src'], everything);
    rmSync(join(root, 'src/a.ts'));
    writeFileSync(join(root, 'src/b.ts'), 'one');

    expect(fingerprint(root, ['src'], everything)).not.toBe(before);
  });

  it('takes no notice of files that do not count, nor of folders that are missing', () => {
    const before = fingerprint(root, ['src'], everything);
    writeFileSync(join(root, 'src/a.spec.ts'), 'test');

    expect(fingerprint(root, ['src', 'nowhere'], (path) => !path.endsWith('.spec.ts'))).toBe(before);
  });
});
