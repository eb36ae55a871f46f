import type { ExportQuery } from '@assay/contracts';
import { Model } from '@assay/submissions';
import type { Round, Task } from '@assay/tasks';
import { IsolationLevel } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Annotation } from '../annotating/annotation.js';
import { Validation } from '../validating/validation.js';
import { exportedAnnotation, type ExportReader } from './exported-annotation.js';

const BATCH = 500;

export interface ExportedSet {
  readonly task: Task;
  /** Undefined: all rounds of the task. */
  readonly round?: Round;
  readonly reader: ExportReader;
  readonly query: ExportQuery;
}

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
        await em.execute(`declare exported no scroll cursor for ${selection(set)}`, parameters(set));
        for (;;) {
          const rows = await em.execute<{ id: string }[]>(`fetch ${BATCH} from exported`);
          if (rows.length === 0) return;
          await write(await this.lines(em, set, { ids: rows.map(({ id }) => id), modelNames }));
          em.clear();
        }
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
    );
  }

  private async lines(
    em: EntityManager,
    { task, reader }: ExportedSet,
    batch: { readonly ids: readonly string[]; readonly modelNames: ReadonlyMap<string, string> },
  ): Promise<string> {
    const ids = [...batch.ids];
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
        return `${JSON.stringify(exportedAnnotation({ ...parts, modelNames: batch.modelNames }))}\n`;
      })
      .join('');
  }

  private async modelNames(em: EntityManager, task: Task): Promise<ReadonlyMap<string, string>> {
    const models = await em.find(Model, { task }, { fields: ['name'] });
    return new Map(models.map(({ id, name }) => [id, name]));
  }
}

/** SQL for annotations that everybody may read: the published splits of closed rounds. */
const PUBLIC = `r.state = 'closed' and a.split in ('train', 'dev') and not a.is_check`;

function selection({ round, reader, query }: ExportedSet): string {
  const conditions = [
    'r.task_id = ?',
    ...(round ? ['r.id = ?'] : []),
    ...(query.outcome ? ['a.outcome = ?'] : []),
    ...(query.source ? ['a.source = ?'] : []),
    ...(reader === 'public' ? [PUBLIC] : []),
  ];
  return `select a.id from annotation a join round r on r.id = a.round_id where ${conditions.join(' and ')} order by a.id`;
}

const parameters = ({ task, round, query }: ExportedSet): string[] => [
  task.id,
  ...(round ? [round.id] : []),
  ...(query.outcome ? [query.outcome] : []),
  ...(query.source ? [query.source] : []),
];
