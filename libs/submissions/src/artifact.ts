import type { Failure, ModelKind } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/**
 * The result of admission for an image, or for the image built from a bundle: everything needed to
 * start it.
 */
export interface AdmittedImage {
  /** The digest of the blob with the archive that the platform rebuilt. */
  readonly archive: string;
  readonly port: number;
  readonly protocol: string | null;
  readonly unpackedBytes: number;
  /** The first ten files that the model's user cannot read. */
  readonly unreadable: readonly string[];
}

const ArtifactSchema = defineEntity({
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
export class Artifact extends ArtifactSchema.class {}
ArtifactSchema.setClass(Artifact);
