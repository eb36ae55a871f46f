import type { Failure, ModelKind } from '@assay/contracts/models';
import { assertTransition, newId, type TransitionTable } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/**
 * The result of admission for an image, or for the image built from a bundle: everything needed to
 * start it.
 */
export interface AdmittedImage {
  readonly port: number;
  readonly protocol: string | null;
  readonly unpackedBytes: number;
  /** The first ten files that the model's user cannot read. */
  readonly unreadable: readonly string[];
  /**
   * SHA-256 of what the artifact computes, regardless of names and packing: the graph and weights of a bundle,
   * or the layers and configuration of an image. Null if it has none; absent for older images, and those that
   * an evaluator of a user admitted.
   */
  readonly contentDigest?: string | null;
  /** Name of the evaluator that admitted it. Absent for older images, and those that no evaluator admitted. */
  readonly evaluator?: string;
  /** The first finding of an evaluator that differs. Absent if there is none. */
  readonly differs?: ImageFinding;
}

/** The finding of an evaluator that rebuilt an admitted image. */
export interface ImageFinding {
  readonly evaluator: string;
  readonly port: number;
  readonly protocol: string | null;
  readonly unpackedBytes: number;
  /** Time in ISO 8601. */
  readonly at: string;
}

export type ArtifactState = 'received' | 'admitted' | 'refused';

/**
 * The legal transitions of an artifact. A refused one is admitted again where the limits of another
 * task allow it; an archived one is received again.
 */
export const ARTIFACT_TRANSITIONS = {
  received: ['admitted', 'refused'],
  admitted: ['received', 'admitted'],
  refused: ['received', 'admitted', 'refused'],
} as const satisfies TransitionTable<ArtifactState>;

export const ArtifactSchema = defineEntity({
  name: 'Artifact',
  uniques: [{ properties: ['digest', 'kind'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    /** sha256 of the bytes as uploaded, in hexadecimal. It also names their blob. */
    digest: p.string().length(64),
    kind: p.string().length(12).$type<ModelKind>(),
    size: p.bigint('number'),
    state: p.enum(['received', 'admitted', 'refused'] as const),
    failure: p.json<Failure>().nullable(),
    image: p.json<AdmittedImage>().nullable(),
    /** When the owner removed the bytes. The scores remain. */
    archivedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/**
 * The bytes of a submission, identified by digest and kind, with the result of their admission.
 * Identical bytes are one artifact.
 */
export class Artifact extends ArtifactSchema.class {
  /** Marks an archived artifact whose bytes were uploaded again as to be admitted. Holds the lock. */
  receiveAgain(): void {
    if (this.state !== 'received') assertTransition(ARTIFACT_TRANSITIONS, this.state, 'received');
    Object.assign(this, { archivedAt: null, state: 'received', failure: null, image: null });
  }
}
ArtifactSchema.setClass(Artifact);

/**
 * SQL for the digests of blobs that artifacts refer to, by kind. An archived artifact no longer
 * needs its blobs.
 */
export const submissionsBlobs = {
  artifacts: `select digest from artifact where archived_at is null`,
} as const;
