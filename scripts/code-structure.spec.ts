import { describe, expect, it } from '@jest/globals';
import { executeProblems, exportProblems, stateProblems } from './code-structure.js';

describe('the rules of states', () => {
  const SQL = "await em.execute(`update run\n  set fence = 1, state = 'done' where id = ?`, [id]);";

  it('refuse SQL that sets a state, outside a repository', () => {
    expect(stateProblems('libs/evaluation/src/runs.ts', `\n${SQL}`)).toEqual([
      'libs/evaluation/src/runs.ts:2: SQL sets a state. Add a method to the repository of the aggregate.',
    ]);
    expect(stateProblems('libs/evaluation/src/runs/run.repository.ts', SQL)).toEqual([]);
  });

  it.each([
    "em.execute(`update run set fence = 1 where state = 'done'`)",
    'em.execute(`select state from run where state = ?`)',
    "em.execute(`update run set other_state = 'done'`)",
  ])('accept %s', (text) => {
    expect(stateProblems('libs/evaluation/src/runs.ts', text)).toEqual([]);
  });

  it('refuse the assignment of a state outside an entity with a transition table', () => {
    expect(stateProblems('libs/evaluation/src/runs.ts', "run.state = 'done';")).toEqual([
      'libs/evaluation/src/runs.ts:1: A state is assigned. Add a method to the entity that checks the transition.',
    ]);
    const entity =
      "const RUN_TRANSITIONS = { queued: ['done'], done: [] };\nclass Run { end() { this.state = 'done'; } }";
    expect(stateProblems('libs/evaluation/src/runs/run.ts', entity)).toEqual([]);
    expect(stateProblems('libs/evaluation/src/runs.ts', "if (run.state === 'done') return;")).toEqual([]);
  });
});

describe('the rule of SQL in repositories', () => {
  const problem = (line: number) =>
    `libs/collection/src/rounds/rounds.ts:${line}: SQL is executed outside a repository. Add a method to the repository of the aggregate.`;
  const inRounds = (text: string) => executeProblems('libs/collection/src/rounds/rounds.ts', text);

  it.each([
    "em.execute('select 1')",
    'await this.em.execute<{ id: string }[]>(`select id from round where id = ?`, [id])',
    'em.getConnection().execute(`select ${columns} from round`)',
    'tx.execute(statement(asked), [])',
    'this.em.fork().execute(OF_MODELS)',
    'preparedRows<Row>(this.em, SHOWN, [id])',
    "em.getKysely<typeof RoundSchema>().selectFrom('round')",
    'statement.execute(em.getKysely())',
  ])('refuses %s', (text) => {
    expect(inRounds(`\n${text};`)).toEqual([problem(2)]);
  });

  it('covers the apps', () => {
    expect(executeProblems('apps/api/src/health/readiness.ts', "em.execute('select 1')")).toHaveLength(1);
  });

  it.each([
    "await this.db.selectFrom('round').select('id').execute()",
    'this.openRound.execute(principal, task)',
    'this.engine.execute(container, command)',
  ])('accepts %s', (text) => {
    expect(inRounds(text)).toEqual([]);
  });

  it.each([
    'libs/collection/src/rounds/round.repository.ts',
    'libs/collection/src/personal-data.ts',
    'libs/collection/src/blob-references.ts',
    'libs/persistence/src/locks/advisory-lock.ts',
    'libs/jobs/src/queue-times.ts',
    'apps/api/src/backup/restored-database.ts',
  ])('does not check %s', (path) => {
    expect(executeProblems(path, "em.execute('select 1')")).toEqual([]);
  });
});

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
