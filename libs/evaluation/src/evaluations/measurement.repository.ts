import type { Measures } from '@assay/contracts/metrics';
import { newId } from '@assay/kernel';
import { Repository } from '@assay/persistence/queries';
import { EvaluatorRepository } from '../evaluators/evaluator.repository.js';
import type { RunClaim } from '../runs/run-lease.js';
import type { RunPurpose, RunScope } from '../runs/run.js';

/** A measurement, with the run that took it. */
export interface TakenMeasurement {
  readonly run: string;
  readonly purpose: RunPurpose;
  readonly measures: Measures;
}

/** The measurements of the database. */
export class MeasurementRepository extends Repository {
  /** Stores what a run has measured so far. A run has one measurement: a later call replaces it. */
  async store({ runId, scope }: RunClaim, measures: Measures): Promise<void> {
    const evaluator = await new EvaluatorRepository(this.em).ownHolder(runId);
    await this.em.execute(
      `insert into measurement (id, specification_id, task_id, run, evaluator_id, hardware, measures, created_at)
        values (?, ?, ?, ?, ?, ?, ?::jsonb, now())
        on conflict (run) do update set evaluator_id = excluded.evaluator_id, hardware = excluded.hardware,
          measures = excluded.measures, created_at = now()`,
      [newId(), scope.specification, scope.task, runId, evaluator, measures.hardware, JSON.stringify(measures)],
    );
  }

  /** Returns the measurements of the scope, oldest first. */
  of({ specification, task }: RunScope): Promise<TakenMeasurement[]> {
    return this.em.execute<TakenMeasurement[]>(
      `select run.id as run, run.purpose, measurement.measures from measurement join run on run.id = measurement.run
        where measurement.specification_id = ? and measurement.task_id = ? order by measurement.created_at, measurement.id`,
      [specification, task],
    );
  }
}
