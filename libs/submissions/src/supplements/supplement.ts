import type { Failure } from '@assay/contracts/models';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { RunSpecification } from '../run-specification.js';

export type SupplementState = 'received' | 'accepted' | 'refused';

const SupplementSchema = defineEntity({
  name: 'Supplement',
  uniques: [{ properties: ['specification', 'digest'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    specification: () => p.manyToOne(RunSpecification),
    /** sha256 of the bytes as uploaded, in hexadecimal. It also names their blob. */
    digest: p.string().length(64),
    /** In bytes. */
    size: p.bigint('number'),
    state: p.enum(['received', 'accepted', 'refused'] as const).default('received'),
    /** Why it was refused. */
    failure: p.json<Failure>().nullable(),
    /** When its bytes were removed. The scores remain. */
    archivedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/**
 * A file of predictions that was added to a model of the kind `predictions`, for datasets that came
 * later. The worker accepts or refuses it. Earlier predictions stay as they are.
 */
export class Supplement extends SupplementSchema.class {}
SupplementSchema.setClass(Supplement);

/** SQL for the digests of blobs that supplements refer to. An archived one no longer needs its blob. */
export const supplementBlobs = 'select digest from supplement where archived_at is null';
