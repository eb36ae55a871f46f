import type { WantedDeployment } from '@assay/serving';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Returns the models that people may write against now: those of a task's open round, or, if no
 * round is open and the task collects examples, those that its policy put in the loop. Only models
 * with an image that is not archived.
 */
export const targetModels = (em: EntityManager): Promise<WantedDeployment[]> =>
  em.execute<WantedDeployment[]>(
    `select m.task_id as task, m.id as model, m.specification_id as specification, w.since from (
       select rm.model_id, rm.since from round_model rm join round r on r.id = rm.round_id
         where rm.until is null and r.state = 'open'
       union all
       select p.model_id, p.since from promotion p join task t on t.id = p.task_id
         where p.until is null and t.definition -> 'collection' is not null
           and not exists (select 1 from round r where r.task_id = t.id and r.state = 'open')
     ) w join model m on m.id = w.model_id join run_specification s on s.id = m.specification_id
       join artifact a on a.id = s.artifact_id
     where a.image is not null and a.archived_at is null`,
  );
