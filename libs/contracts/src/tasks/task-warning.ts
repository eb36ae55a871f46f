import { z } from 'zod';
import { namedObject } from '../named-object.js';

/** The smallest number of examples of a public sample of hidden data. */
export const SAMPLE_EXAMPLES = 20;

/** Something that the owner of a task should change about its hidden data. Nothing is refused because of it. */
export const TaskWarning = namedObject('TaskWarning', {
  code: z
    .enum(['no_public_sample', 'hidden_data_under_runc'])
    .describe(
      `no_public_sample: the task has hidden data, and no public dataset of at least ${SAMPLE_EXAMPLES} examples; hidden_data_under_runc: models answer hidden data under runc, because no registered evaluator of the task has runsc`,
    ),
  detail: z.string().describe('what is missing, and what to do'),
});
export type TaskWarning = z.infer<typeof TaskWarning>;
