import type { TaskDefinitionInput } from '@assay/contracts/tasks';

export const LABELS = ['entailment', 'neutral', 'contradiction'] as const;

/** Natural language inference with the fields of ANLI, ranked by accuracy alone. */
export const INFERENCE_TASK = {
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: [...LABELS] },
  performance: 'accuracy',
  cluster: 'context',
  weights: { accuracy: 1 },
} as const satisfies Omit<TaskDefinitionInput, 'slug'>;
