import type { Failure, ModelKind } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/** What admission found in an image or made of a bundle; enough to start it. */
export interface AdmittedImage {
  /** Blob of the archive that the platform rebuilt. */
  readonly archive: string;
  readonly port: number;
  readonly protocol: string | null;
  readonly unpackedBytes: number;
  /** Files that the model's user can't read, the first ten. */
  readonly unreadable: readonly string[];
}

const ArtifactSchema = defineEntity({
  name: 'Artifact',
  uniques: [{ properties: ['digest', 'kind'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    /** sha256 of the bytes as they were uploaded; their blob. */
    digest: p.string().length(64),
    kind: p.string().length(12).$type<ModelKind>(),
    size: p.bigint('number'),
    state: p.enum(['received', 'admitted', 'refused'] as const),
    failure: p.json<Failure>().nullable(),
    image: p.json<AdmittedImage>().nullable(),
    /** When its owner had the bytes removed; the scores stay. */
    archivedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** The bytes of a submission, by digest, and what became of them at admission. The same bytes are one artifact. */
export class Artifact extends ArtifactSchema.class {}
ArtifactSchema.setClass(Artifact);
