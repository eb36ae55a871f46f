import { describe, expect, it } from '@jest/globals';
import { exportProblems } from './export-rules.js';

const exporting = (count: number) =>
  Array.from({ length: count }, (_, index) => `export { type Name${index} } from './name-${index}.js';`).join('\n');

describe('the rules of exports', () => {
  it.each(['libs/tasks/src/index.ts', 'libs/tasks/src/examples/index.ts'])('limit the names of %s', (path) => {
    expect(exportProblems(path, exporting(25))).toEqual([]);
    expect(exportProblems(path, exporting(26))).toEqual([
      `${path}: 26 names are exported, at most 25 may be. Give a folder an index of its own.`,
    ]);
  });

  it('refuse export *', () => {
    expect(exportProblems('libs/tasks/src/index.ts', "export * from './task.js';")).toEqual([
      'libs/tasks/src/index.ts: export * hides what it exports. Name it.',
    ]);
    expect(exportProblems('libs/tasks/src/index.ts', "export * as tasks from './task.js';")).toEqual([]);
  });

  it('leave other files alone', () => {
    expect(exportProblems('libs/tasks/src/examples/example.ts', exporting(30))).toEqual([]);
    expect(exportProblems('apps/api/src/index.ts', exporting(30))).toEqual([]);
  });
});
