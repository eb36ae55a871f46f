import { z } from 'zod';
import { namedObject } from '../named-object.js';

/** How many answers of a target model to people differ from those of its evaluation on the same examples. */
export const LiveDifference = namedObject('LiveDifference', {
  round: z.int().describe('the round in which people asked it'),
  compared: z.int().describe('answers that were compared'),
  different: z.int().describe('those of them that differ'),
});
export type LiveDifference = z.infer<typeof LiveDifference>;
