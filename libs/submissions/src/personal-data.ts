import type { PersonalData } from '@assay/persistence';

/** The data about the owner of models. */
export const submissionsPersonalData: PersonalData = {
  lists: {
    models: `select x.id, t.slug as task, x.name, x.kind, x.description, x.card, x.trained_on as "trainedOn", x.derived_from as "derivedFrom", x.protocol, x.command,
      x.state, x.failure, x.published, x.withdrawn, x.allow_foreign_evaluators as "allowForeignEvaluators", x.live_difference as "liveDifference", a.digest as artifact, x.created_at as "createdAt", x.accepted_at as "acceptedAt"
    from model x join task t on t.id = x.task_id left join run_specification s on s.id = x.specification_id
    left join artifact a on a.id = s.artifact_id where x.owner_id = ?`,
    supplements: `select x.id, m.id as model, x.digest, x.size::float8 as size, x.state, x.failure, x.archived_at as "archivedAt", x.created_at as "createdAt"
    from supplement x join model m on m.specification_id = x.specification_id where m.owner_id = ? order by x.id`,
  },
};
