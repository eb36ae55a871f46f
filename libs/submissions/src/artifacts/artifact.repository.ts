import type { Failure } from '@assay/contracts/models';
import { statesBefore } from '@assay/kernel';
import { jsonValue, Repository } from '@assay/persistence/queries';
import { sql } from 'kysely';
import {
  type AdmittedImage,
  ARTIFACT_TRANSITIONS,
  type ImageFinding,
  type ArtifactSchema,
  type ArtifactState,
} from './artifact.js';
import type { ModelSchema } from '../model.js';
import type { RunSpecificationSchema } from '../run-specification.js';

type Schemas = typeof ArtifactSchema | typeof ModelSchema | typeof RunSpecificationSchema;

/** The artifacts of the database. State changes are conditional updates. */
export class ArtifactRepository extends Repository<Schemas> {
  /**
   * Locks an artifact FOR KEY SHARE: archiving it waits until the transaction ends. A run that
   * records its admission result does not wait, as it takes its locks in another order.
   * @returns false if the artifact is archived
   */
  lockUnarchived(id: string): Promise<boolean> {
    return this.exists(
      this.db.selectFrom('artifact').select('id').where('id', '=', id).where('archivedAt', 'is', null).forKeyShare(),
    );
  }

  /** Returns whether a model of somebody else has the artifact. */
  isShared(id: string, owner: string): Promise<boolean> {
    return this.exists(
      this.db
        .selectFrom('run_specification as specification')
        .innerJoin('model', 'model.specification', 'specification.id')
        .select('model.id')
        .where('specification.artifact', '=', id)
        .where('model.owner', '<>', owner)
        .limit(1),
    );
  }

  /**
   * Records that the artifact of a specification may run.
   * @param image null for a predictions file
   */
  async admit(specification: string, image: AdmittedImage | null): Promise<void> {
    await this.ofSpecification(specification, 'admitted')
      .set({ failure: null, image: jsonValue(image) })
      .execute();
  }

  /**
   * Records that the artifact of a specification was refused. Does nothing if a task with larger
   * limits admitted it in the meantime.
   */
  async refuse(specification: string, failure: Failure): Promise<void> {
    await this.ofSpecification(specification, 'refused')
      .set({ failure: jsonValue(failure), image: null })
      .execute();
  }

  /**
   * Records a finding about the image of a specification if it differs from that of the admission.
   * The first such finding stays.
   * @returns the digest of the artifact, or undefined if the findings agree or another differed before
   */
  async compareImage(specification: string, finding: ImageFinding): Promise<string | undefined> {
    const { port, protocol, unpackedBytes } = finding;
    const row = await this.db
      .updateTable('artifact')
      .set('image', sql`image || ${JSON.stringify({ differs: finding })}::jsonb`)
      .where('id', '=', (artifact) =>
        artifact.selectFrom('run_specification').select('artifact').where('id', '=', specification),
      )
      .where(
        sql<boolean>`image -> 'differs' is null and not image @> ${JSON.stringify({ port, protocol, unpackedBytes })}::jsonb`,
      )
      .returning('digest')
      .executeTakeFirst();
    return row?.digest;
  }

  /** Returns the artifacts whose image evaluators found to differ, the latest finding first. */
  async imagesThatDiffer(count: number): Promise<{ digest: string; image: AdmittedImage; differs: ImageFinding }[]> {
    const rows = await this.db
      .selectFrom('artifact')
      .select(['digest', 'image'])
      .where(sql<boolean>`image -> 'differs' is not null`)
      .orderBy(sql`image -> 'differs' ->> 'at'`, 'desc')
      .limit(count)
      .execute();
    return rows.flatMap(({ digest, image }) => (image?.differs ? [{ digest, image, differs: image.differs }] : []));
  }

  /** Lets a refused artifact be admitted again. */
  async forgetRefusal(id: string): Promise<void> {
    await this.transition('received')
      .set({ failure: null })
      .where('id', '=', id)
      .where('state', '=', 'refused')
      .execute();
  }

  private ofSpecification(specification: string, state: ArtifactState) {
    return this.transition(state).where('id', '=', (artifact) =>
      artifact.selectFrom('run_specification').select('artifact').where('id', '=', specification),
    );
  }

  /** An update to `state` of those rows whose state may be followed by it. */
  private transition(state: ArtifactState) {
    return this.db
      .updateTable('artifact')
      .set('state', state)
      .where('state', 'in', statesBefore<ArtifactState>(ARTIFACT_TRANSITIONS, state));
  }
}
