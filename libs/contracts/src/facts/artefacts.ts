import { z } from 'zod';
import { namedObject } from '../named-object.js';

/** The largest number of words in the artefacts of a dataset. */
export const MOST_LABEL_WORDS = 50;

/** The facts that the examples of a dataset give away about their labels. */
export const DatasetArtefacts = namedObject('DatasetArtefacts', {
  task: z.string().describe('its slug'),
  dataset: z.string().describe('its name'),
  version: z.int().describe('number of the version'),
  examples: z.int().describe('how many examples were read, from the start of the dataset'),
  majority: z.number().describe('share of the most frequent label'),
  inputs: z
    .array(
      z.object({
        input: z.string().describe('the field that was read alone'),
        accuracy: z
          .object({ value: z.number(), low: z.number().nullable(), high: z.number().nullable() })
          .nullable()
          .describe('share of the labels that a simple classifier guesses from it; null: too few examples or labels'),
        aboveMajority: z
          .boolean()
          .nullable()
          .describe('whether the whole interval is above the share of the most frequent label; null: no interval'),
      }),
    )
    .describe('the text inputs of the task'),
  words: z
    .array(
      z.object({
        input: z.string().describe('the field with the word'),
        word: z.string().describe('in lower case'),
        label: z.string().describe('the label that goes with it'),
        examples: z.int().describe('examples that have the word in the field'),
        share: z.number().describe('share of those that have the label'),
        expected: z.number().describe('share of all examples that have the label'),
        z: z.number().describe('distance of the two shares, in standard errors'),
      }),
    )
    .describe(
      `words that go with one label more often than chance explains (false discovery rate 5%), the strongest ${MOST_LABEL_WORDS}`,
    ),
});
export type DatasetArtefacts = z.infer<typeof DatasetArtefacts>;
