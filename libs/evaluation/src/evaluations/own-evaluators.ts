/**
 * Returns SQL for the evaluators of users that gave the answers of a scored cell or measured its costs, as
 * a JSON array of `EvaluatorReference` by name. It yields null if there are none. The measurements are those
 * that `settleMeasures` takes for the cell, on the hardware class that its costs have.
 * @param cell the name of the row of `evaluation`
 * @param task SQL for the ID of the task
 */
export const ownEvaluatorsSql = (cell: string, task: string): string => `(
  select jsonb_agg(distinct jsonb_build_object('name', evaluator.name, 'owner', owner.username))
    from (
      select ${cell}.evaluator_id as id
      union
      select measurement.evaluator_id from measurement join run on run.id = measurement.run
       where measurement.specification_id = ${cell}.specification_id and measurement.task_id = ${task}
         and measurement.evaluator_id is not null and measurement.hardware = ${cell}.measures ->> 'hardware'
         and (run.purpose = 'measures' or ${cell}.run is null or run.id = ${cell}.run)
    ) as own
    join evaluator on evaluator.id = own.id
    join user_account as owner on owner.id = evaluator.owner_id
   where ${cell}.state = 'scored')`;
