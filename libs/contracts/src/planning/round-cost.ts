import { z } from 'zod';
import { namedObject } from '../named-object.js';

const perExample = (examples: string) =>
  z.number().nullable().describe(`\`paid\` divided by the ${examples}; null: there are none yet`);

/** The pay of crowd workers in one currency, and the examples that it paid for. */
export const RoundCost = namedObject('RoundCost', {
  currency: z.string().describe('ISO 4217'),
  paid: z.number().describe('due to workers of finished sessions'),
  sessions: z.int().describe('finished sessions'),
  examples: z.int().describe('examples written in them, without retracted ones'),
  pending: z
    .int()
    .describe(
      'of those, examples that validators have not decided; until then the costs of a validated example are upper bounds',
    ),
  validated: z.int().describe('of those, validated examples'),
  validatedFooling: z.int().describe('of the validated ones, examples that fooled a model'),
  perExample: perExample('examples'),
  perValidated: perExample('validated examples'),
  perValidatedFooling: perExample('validated examples that fooled a model'),
});
export type RoundCost = z.infer<typeof RoundCost>;

/** The costs of a round, for the owner of the task only. */
export const RoundCosts = namedObject('RoundCosts', {
  task: z.string().describe('its slug'),
  round: z.int().describe('its number'),
  items: z.array(RoundCost).describe('by currency; empty: nobody was paid'),
});
export type RoundCosts = z.infer<typeof RoundCosts>;
