import type { TaskOutput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { TopLabels } from './top-labels.js';

const OUTPUT: TaskOutput = { name: 'label', type: 'label', labels: ['yes', 'no'] };

describe('TopLabels', () => {
  it('counts the answers whose label is not the most probable one', () => {
    const tops = new TopLabels();
    for (const probabilities of [
      [0.9, 0.1],
      [0.2, 0.8],
      [0.5, 0.5],
      [0, 1],
    ]) {
      tops.add(OUTPUT, { text: 'yes', probabilities });
    }
    tops.add(OUTPUT, { text: 'no' });

    expect(tops.differing).toBe(2);
  });

  it('is null without probabilities, and 0 if every label is the most probable one', () => {
    const [without, agreeing] = [new TopLabels(), new TopLabels()];
    without.add(OUTPUT, { text: 'yes' });
    agreeing.add(OUTPUT, { text: 'yes', probabilities: [0.9, 0.1] });

    expect(without.differing).toBeNull();
    expect(agreeing.differing).toBe(0);
  });
});
