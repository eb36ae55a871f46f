import type { Task } from '@assay/api-client/fetch';
import { describe, expect, it } from '@jest/globals';
import { tasksText, taskText, type ListedTask } from './task-text.js';

const leader = (name: string, rank: number, dynascore: number): ListedTask['leaders'][number] => ({
  rank,
  model: { id: name, name, owner: 'kim' },
  dynascore,
  performance: null,
});

const task = (slug: string, standing: Partial<ListedTask> = {}): ListedTask => ({
  slug,
  name: `The task ${slug}`,
  output: { name: 'label', type: 'label', labels: ['no', 'yes'] },
  rounds: [],
  openRound: null,
  models: 0,
  leaders: [],
  ...standing,
});

describe('tasksText', () => {
  it('has a line per task: output, rounds, open round, ranked models, leader', () => {
    const rounds = [1, 2].map((number) => ({ number, state: 'open' as const, imported: false }));
    const leaders = [leader('albert', 1, 63.24), leader('xlnet', 2, 62.5)];
    const lines = tasksText([task('nli', { rounds, openRound: 2, models: 8, leaders }), task('empty')]).split('\n');
    expect(lines[0]).toMatch(/^task +name +output +rounds +open round +ranked +leader$/);
    expect(lines[1]).toMatch(/^nli +The task nli +label \(label\) +2 +2 +8 +albert \(63\.2\)$/);
    expect(lines[2]).toMatch(/^empty +The task empty +label \(label\) +0 +– +0 +no ranked models yet$/);
    expect(lines).toHaveLength(3);
  });

  it('says that other models share the first rank', () => {
    const leaders = [leader('albert', 1, 60), leader('xlnet', 1, 60)];
    expect(tasksText([task('nli', { models: 2, leaders })])).toMatch(/albert \(60\.0\) and others$/);
  });

  it('gives the first step where there are no tasks', () => {
    expect(tasksText([])).toBe('No tasks yet. Create one: assay task create --ready NAME');
  });
});

describe('taskText', () => {
  it('ends with the warnings for the owner', () => {
    const shown = {
      slug: 'nli',
      name: 'NLI',
      owner: 'kim',
      description: '',
      inputs: [],
      output: { name: 'label', type: 'text' },
      performance: 'accuracy',
      benchmarkVersion: 1,
      datasets: [{ name: 'r1', version: 1, role: 'static', examples: 5, against: [], publicSince: null }],
    } as unknown as Task;
    const warnings = [{ code: 'no_public_sample' as const, detail: 'The task has no sample.' }];

    expect(taskText({ ...shown, warnings })).toMatch(/\n\nWarning: The task has no sample\.$/);
    expect(taskText(shown)).not.toContain('Warning');
  });
});
