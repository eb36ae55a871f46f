import { newId } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

/** A part of what a closed round became; `fooling` is the part of `test` that fooled. */
export type ReleasePart = 'train' | 'dev' | 'test' | 'fooling';

const RoundReleaseSchema = defineEntity({
  name: 'RoundRelease',
  uniques: [{ properties: ['round', 'part'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    part: p.string().length(10).$type<ReleasePart>(),
    /** Name of the dataset that it is; null for `train`, which is never evaluated. */
    dataset: p.string().length(80).nullable(),
    examples: p.integer(),
    /** sha256 of its bytes, and their blob: JSON Lines. */
    content: p.string().length(64),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A file that a closed round became. */
export class RoundRelease extends RoundReleaseSchema.class {}
RoundReleaseSchema.setClass(RoundRelease);
