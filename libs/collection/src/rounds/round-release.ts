import { newId } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

/**
 * A part of the data of a closed round. `fooling` is the subset of `test` that fooled the target
 * models.
 */
export type ReleasePart = 'train' | 'dev' | 'test' | 'fooling';

const RoundReleaseSchema = defineEntity({
  name: 'RoundRelease',
  uniques: [{ properties: ['round', 'part'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    part: p.string().length(10).$type<ReleasePart>(),
    /** The name of the dataset made from it; null for `train`, which is never evaluated. */
    dataset: p.string().length(80).nullable(),
    examples: p.integer(),
    /** SHA-256 of the file, a JSON Lines blob. */
    content: p.string().length(64),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A data file of a closed round. */
export class RoundRelease extends RoundReleaseSchema.class {}
RoundReleaseSchema.setClass(RoundRelease);

/** SQL for the digests of blobs that releases of rounds refer to. */
export const collectionBlobs = { releases: `select content as digest from round_release` } as const;
