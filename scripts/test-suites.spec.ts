import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { project } from './command.js';
import { specsBelow, writeSuites } from './test-suites.js';

describe('suites of specs', () => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-suites-'));
  const suites = writeSuites(specsBelow('test/medium'), directory, 6);
  afterAll(() => rmSync(directory, { recursive: true }));

  it('have every spec once', () => {
    const specs = suites.flatMap((suite) => suite.specs);

    expect(specs).toContain('test/medium/api/models.spec.ts');
    expect(new Set(specs).size).toBe(specs.length);
    expect(suites.every((suite) => suite.specs.length <= 6)).toBe(true);
  });

  it('import their specs, and leave one alone whose hooks would be hooks of the others', () => {
    for (const { path, specs } of suites) {
      if (specs.length > 1) expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(specs.length);
    }
    expect(suites).toContainEqual({
      path: join(project, 'test/medium/persistence.spec.ts'),
      specs: ['test/medium/persistence.spec.ts'],
    });
  });
});
