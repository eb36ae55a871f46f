import { TaskDefinition, taskMetrics } from '@assay/contracts/tasks';
import { expect, it } from '@jest/globals';
import { boardPart } from './board-part.js';

it('contains the metrics of ordered labels, because it has no output', () => {
  const task = (ordered: boolean) =>
    TaskDefinition.parse({
      slug: 'grades',
      name: 'Grades',
      inputs: [{ name: 'essay', type: 'text' }],
      output: { name: 'grade', type: 'label', labels: ['poor', 'fair', 'good'], ordered },
      performance: 'accuracy',
    });

  expect(taskMetrics(boardPart(task(true)))).toEqual(taskMetrics(task(true)));
  expect(boardPart(task(false))).not.toHaveProperty('metrics');
});
