import { describe, expect, it } from '@jest/globals';
import { historyOfChosen } from './benchmark.command.js';

const model = (id: string, name: string) => ({ model: { id, name, owner: 'kim' }, points: [] });
const history = {
  task: 'nli',
  performance: 'accuracy',
  versions: [],
  models: [model('a', 'albert'), model('b', 'bert'), model('c', 'bert')],
};
const ids = (asked: readonly string[]) => historyOfChosen(history, asked).models.map(({ model: { id } }) => id);

describe('historyOfChosen', () => {
  it('takes models by id or by name, all of that name', () => {
    expect(ids(['a'])).toEqual(['a']);
    expect(ids(['bert', 'albert'])).toEqual(['a', 'b', 'c']);
  });

  it('names those that were never ranked', () => {
    expect(() => ids(['albert', 'gpt', 'x'])).toThrow('No model "gpt", "x" was ever ranked on nli.');
  });
});
