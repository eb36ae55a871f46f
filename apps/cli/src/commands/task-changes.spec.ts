import { describe, expect, it } from '@jest/globals';
import { changeOf, joined } from './task-changes.js';

describe('changes of a task', () => {
  it.each([
    ['description=Two words', { description: 'Two words' }],
    ['loop.size=2', { loop: { size: 2 } }],
    ['slices=[genre, {field: lang}]', { slices: ['genre', { field: 'lang' }] }],
    ['weights=null', { weights: null }],
    ['weights.worst:genre=1', { weights: { 'worst:genre': 1 } }],
    ['description=a=b', { description: 'a=b' }],
  ])('are read from %s', (text, change) => {
    expect(changeOf(text)).toEqual(change);
  });

  it.each(['description', '=1', 'loop..size=1'])('are not read from %s', (text) => {
    expect(() => changeOf(text)).toThrow(`"${text}" is not of the form key=value, such as loop.size=2.`);
  });

  it('say what is no value', () => {
    expect(() => changeOf('slices=[genre')).toThrow('The value of "slices=[genre" is not valid YAML');
  });

  it('are joined, the later over the earlier', () => {
    const changes = [
      { loop: { size: 1, margin: 2 }, slices: ['a'] },
      { loop: { size: 3 }, slices: ['b'] },
    ];
    expect(joined(changes)).toEqual({ loop: { size: 3, margin: 2 }, slices: ['b'] });
  });
});
