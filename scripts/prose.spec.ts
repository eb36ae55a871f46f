import { describe, expect, it } from '@jest/globals';
import { docstringProblems, proseProblems } from './prose.js';

describe('the prose rules', () => {
  it.each(['Of the run so far.', 'What a claim gives.', 'Whether it holds.', 'Whoever asks.'])(
    'refuse the docstring "%s"',
    (text) => {
      expect(docstringProblems(text)).toHaveLength(1);
    },
  );

  it.each(['Returns the run.', 'The costs of the run so far.', 'Offers what it has.', 'True if it holds.'])(
    'accept the docstring "%s"',
    (text) => {
      expect(docstringProblems(text)).toEqual([]);
    },
  );

  it('name the standard term', () => {
    expect(proseProblems('The run is read anew.')).toEqual(['"anew": write "again".']);
    expect(proseProblems('It can not be read.')).toEqual(['"can not": write "cannot".']);
  });

  it('find nothing in plain text', () => {
    expect(proseProblems('The evaluator leases the run again. It continues after a restart.')).toEqual([]);
  });
});
