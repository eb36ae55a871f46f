import type { Failure } from '@assay/contracts';
import { statesBefore } from '@assay/kernel';
import { jsonValue, type TablesOf, typedQueries } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type AdmittedImage, ARTIFACT_TRANSITIONS, type ArtifactSchema, type ArtifactState } from './artifact.js';
import type { RunSpecificationSchema } from './run-specification.js';

type ArtifactTables = TablesOf<typeof ArtifactSchema | typeof RunSpecificationSchema>;

/** Changes the states of artifacts by conditional updates. */
export class ArtifactRepository {
  private readonly db: Kysely<ArtifactTables>;

  /** @param em its transaction is used, if it has one */
  constructor(em: EntityManager) {
    this.db = typedQueries<typeof ArtifactSchema | typeof RunSpecificationSchema>(em);
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
