import type { TaskDefinitionInput } from '@assay/contracts/tasks';

/** A task whose label says whether the length of the text is even. */
export const PARITY_TASK = {
  name: 'Even or odd',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['even', 'odd'] },
  performance: 'accuracy',
} as const satisfies Omit<TaskDefinitionInput, 'slug'>;
