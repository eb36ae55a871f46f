import { z } from 'zod';

/** A JSON merge patch of a task definition. */
export const TaskChange = z
  .record(z.string(), z.unknown())
  .meta({ id: 'TaskChange', description: 'Any keys of a task definition' });
