import { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { EntityManager, IsolationLevel } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Annotation } from '../annotating/annotation.js';
import { AnnotationRepository, type ExportedSet } from '../annotating/annotation.repository.js';
import { Validation } from '../validating/validation.js';
import { exportedAnnotation } from './exported-annotation.js';

const BATCH = 500;

/** Exports annotations as JSON Lines. */
@Injectable()
export class AnnotationExports {
  constructor(private readonly em: EntityManager) {}

  /**
   * Passes complete lines to `write`, in batches, from one snapshot of the database. Memory use
   * does not depend on the number of annotations. Holds a database connection until the last line
   * is written, so `write` must not wait for a slow client.
   */
  async write(set: ExportedSet, write: (lines: string) => Promise<void>): Promise<void> {
    await this.em.fork({ clear: true }).transactional(
      async (em) => {
        const modelNames = await this.modelNames(em, set.task);
        for await (const ids of new AnnotationRepository(em).ids(set, BATCH)) {
          await write(await this.lines(em, set, { ids, modelNames }));
          em.clear();
        }
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
    );
  }

  private async lines(
    em: EntityManager,
    { task, reader }: ExportedSet,
    { ids, modelNames }: { readonly ids: string[]; readonly modelNames: ReadonlyMap<string, string> },
  ): Promise<string> {
    const [annotations, validations] = [
      await em.find(
        Annotation,
        { id: { $in: ids } },
        { populate: ['round', 'context', 'target'], orderBy: { id: 'asc' } },
      ),
      await em.find(Validation, { annotation: { $in: ids }, label: { $ne: null } }, { orderBy: { createdAt: 'asc' } }),
    ];
    const { output } = task.definition;
    const validationsOf = Map.groupBy(validations, (validation) => validation.annotation.id);
    return annotations
      .map((annotation) => {
        const parts = { annotation, validations: validationsOf.get(annotation.id) ?? [], output, reader };
        return `${JSON.stringify(exportedAnnotation({ ...parts, modelNames }))}\n`;
      })
      .join('');
  }

  private async modelNames(em: EntityManager, task: Task): Promise<ReadonlyMap<string, string>> {
    const models = await em.find(Model, { task }, { fields: ['name'] });
    return new Map(models.map(({ id, name }) => [id, name]));
  }
}
