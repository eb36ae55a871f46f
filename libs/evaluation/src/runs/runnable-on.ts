import { MODEL_ARCHITECTURE } from '@assay/contracts/evaluators';
import type { FreeCapacity } from '@assay/contracts/gateway';

/** The conditions that a model must meet, so that an evaluator can run it. */
export interface RunnableOn {
  /**
   * ID of the user on whose tasks alone it runs models: the user's own, and those whose owners allow it.
   * Null: it runs those of everyone.
   */
  readonly owner: string | null;
  /** Instruction set of its processors, such as amd64. */
  readonly architecture: string;
  readonly runtimes: readonly string[];
  readonly memoryBytes: number;
  readonly cpus: number;
}

/** A condition in SQL, with the values of its placeholders. */
export interface SqlCondition {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
}

/**
 * Returns SQL for the condition on a row of `run_specification` named `specification` and a row of `task`.
 * @param on SQL for the properties of the evaluator
 */
export const runnableSql = ({
  owner,
  architecture,
  runtimes,
  memoryBytes,
  cpus,
}: Record<keyof RunnableOn, string>): string =>
  `${architecture} = '${MODEL_ARCHITECTURE}'
          and specification.content ->> 'runtime' = any(${runtimes})
          and ${fitsSql({ memoryBytes, cpus })}
          and (${owner} is null or (task.owner_id = ${owner} and not exists (
            select 1 from model where model.specification_id = specification.id and model.owner_id <> ${owner}
              and not model.allow_foreign_evaluators)))`;

/** SQL for the properties of a row of `evaluator`. */
export const REGISTERED_EVALUATOR: Readonly<Record<keyof RunnableOn, string>> = {
  owner: 'evaluator.owner_id',
  architecture: `(evaluator.host ->> 'architecture')`,
  runtimes: `array(select jsonb_array_elements_text(evaluator.host -> 'runtimes'))`,
  memoryBytes: `(evaluator.host ->> 'memoryBytes')::numeric`,
  cpus: `(evaluator.host ->> 'cpus')::numeric`,
};

/** Returns SQL for the condition that the limits of a row of `run_specification` named `specification` fit. */
export const fitsSql = ({ memoryBytes, cpus }: Record<keyof FreeCapacity, string>): string =>
  `(specification.content #>> '{limits,memory}')::numeric <= ${memoryBytes}
          and (specification.content #>> '{limits,cpus}')::numeric <= ${cpus}`;

/** Returns the condition of `runnableSql` for an evaluator. */
export const runnableCondition = ({ owner, architecture, runtimes, memoryBytes, cpus }: RunnableOn): SqlCondition => ({
  text: runnableSql({ owner: '?::uuid', architecture: '?::text', runtimes: '?::text[]', memoryBytes: '?', cpus: '?' }),
  values: [architecture, `{${runtimes.join(',')}}`, memoryBytes, cpus, owner, owner, owner],
});
