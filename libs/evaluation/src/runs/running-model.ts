import type { Model } from '@assay/submissions';

/** A model that an evaluator holds now, with the facts that determine who may see it. */
export interface RunningModel extends Pick<Model, 'id' | 'name' | 'published' | 'withdrawn' | 'state'> {
  readonly owner: Pick<Model['owner'], 'id' | 'username'>;
  readonly task: { readonly slug: string; readonly owner: Pick<Model['owner'], 'id'> };
  readonly specification: object;
  readonly firstScoredAt: string | null;
}

/** Returns SQL for the models that meet a condition on the row `m` of `model`, as `RunningModel`, the oldest first. */
export const runningModelsSql = (condition: string): string => `(
  select coalesce(json_agg(json_build_object('id', m.id, 'name', m.name, 'published', m.published, 'withdrawn', m.withdrawn, 'state', m.state,
      'firstScoredAt', m.first_scored_at, 'specification', json_build_object('id', m.specification_id),
      'owner', json_build_object('id', u.id, 'username', u.username),
      'task', json_build_object('slug', t.slug, 'owner', json_build_object('id', t.owner_id))) order by m.id), '[]')
    from model m join user_account u on u.id = m.owner_id join task t on t.id = m.task_id
   where ${condition})`;

/** SQL for the models that share the row `run`, as `RunningModel`. */
export const MODELS_OF_RUN = runningModelsSql('m.specification_id = run.specification_id and m.task_id = run.task_id');
