import { z } from 'zod';
import { namedObject, namedStrictObject } from '../named-object.js';

/** The largest number of words in a shift. */
export const MOST_SHIFTED_WORDS = 50;

export const ShiftQuery = namedStrictObject('ShiftQuery', {
  from: z
    .string()
    .max(80)
    .optional()
    .describe(
      'the dataset to compare with; default: that of the last earlier round with the same use which you may read',
    ),
});
export type ShiftQuery = z.infer<typeof ShiftQuery>;

const side = z.object({
  dataset: z.string().describe('its name'),
  version: z.int().describe('number of the version'),
  round: z.int().nullable().describe('number of the round; null: it is of no round'),
  examples: z.int().describe('examples that were read, from the start of the dataset'),
});

const both = <T extends z.ZodType>(of: T) => ({ before: of, after: of });

const separability = z
  .object({ value: z.number(), low: z.number(), high: z.number() })
  .nullable()
  .describe(
    'area under the ROC curve of a classifier that tells the two datasets apart by these words, with its 95 percent interval; 0.5: not at all, 1: always; null: too few examples',
  );

const lengths = z
  .object({
    lowerQuartile: z.number().describe('of the number of words'),
    median: z.number().describe('of the number of words'),
    upperQuartile: z.number().describe('of the number of words'),
  })
  .nullable()
  .describe('words of an example; null: no examples');

/** The differences between two datasets, such as those of two rounds. */
export const DatasetShift = namedObject('DatasetShift', {
  task: z.string().describe('its slug'),
  before: side.describe('the earlier dataset'),
  after: side.describe('the later dataset'),
  separability: separability.describe(
    'area under the ROC curve of a classifier that tells the two datasets apart by all text inputs, with its 95 percent interval; 0.5: not at all, 1: always; null: too few examples',
  ),
  differs: z
    .boolean()
    .nullable()
    .describe('whether the whole interval of `separability` is above 0.5; null: no interval'),
  labels: z
    .array(
      z.object({
        label: z.string().describe('of the task'),
        ...both(z.number().describe('share of the examples')),
        difference: z
          .object({ value: z.number(), low: z.number().nullable(), high: z.number().nullable() })
          .describe('later minus earlier share, with its 95 percent interval; null: too few clusters'),
      }),
    )
    .describe('of a task with one label per example: each label; else empty'),
  inputs: z
    .array(
      z.object({
        input: z.string().describe('name of a text input'),
        separability,
        length: z.object(both(lengths)).describe('how long the texts are'),
        vocabulary: z.object(both(z.int().describe('different words'))).describe('how many different words occur'),
        unseen: z
          .object(both(z.number().nullable().describe('share of the running words; null: no words')))
          .describe('words of one dataset that do not occur in the other'),
      }),
    )
    .describe('the text inputs of the task'),
  words: z
    .array(
      z.object({
        input: z.string().describe('the field with the word'),
        word: z.string().describe('in lower case'),
        dataset: z.enum(['before', 'after']).describe('the dataset in which it is more frequent'),
        examples: z.int().describe('examples of both datasets that have the word in the field'),
        share: z.number().describe('share of those that are of this dataset'),
        expected: z.number().describe('share of all examples that are of this dataset'),
        z: z.number().describe('distance of the two shares, in standard errors'),
      }),
    )
    .describe(
      `words that are more frequent in one dataset than chance explains (false discovery rate 5%), the strongest ${MOST_SHIFTED_WORDS}`,
    ),
});
export type DatasetShift = z.infer<typeof DatasetShift>;
