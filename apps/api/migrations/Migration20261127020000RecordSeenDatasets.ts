import { Migration } from '@mikro-orm/migrations';

/**
 * Failures that a model caused while it ran. Their sentences name places, statuses and figures, in which a model that had seen hidden data could
 * put them.
 */
const RUN_CODES = [
  'never_ready',
  'model_exited',
  'out_of_memory',
  'request_timeout',
  'too_slow',
  'evaluation_timeout',
  'http_status',
  'redirected',
  'response_too_large',
  'response_encoded',
  'invalid_json',
  'invalid_response',
  'wrong_length',
  'unknown_label',
  'invalid_prediction',
  'invalid_probabilities',
  'inconsistent',
  'connection_lost',
  'original_not_scored',
];

/** The dataset versions of a task that a specification had cells for by some time: a superset of what a sandbox had seen by then. */
const seenBy = (specification: string, task: string, time: string): string => `(
  select coalesce(jsonb_agg(cell.dataset_version_id order by cell.dataset_version_id), '[]') from evaluation cell
    join dataset_version version on version.id = cell.dataset_version_id join dataset on dataset.id = version.dataset_id
   where cell.specification_id = ${specification} and dataset.task_id = ${task} and cell.created_at <= coalesce(${time}, now()))`;

const sawHidden = (seen: string): string => `exists (
  select from jsonb_array_elements_text(${seen}) had (version) join dataset_version on dataset_version.id = had.version::uuid
    join dataset on dataset.id = dataset_version.dataset_id where dataset.visibility = 'hidden')`;

const withheld = (failure: string): string => `jsonb_set(${failure}, '{message}', to_jsonb(
  'It failed on hidden data (' || (${failure} ->> 'code') || '). The details and the log are withheld, as they could reveal hidden examples.'))`;

const ofRun = (failure: string): string =>
  `${failure} ->> 'code' in (${RUN_CODES.map((code) => `'${code}'`).join(', ')})`;

/** Records what sandboxes had seen. One sandbox was given all datasets of its run until now, so what was answered then is as hidden as the most hidden. */
export class Migration20261127020000RecordSeenDatasets extends Migration {
  override name = 'Migration20261127020000RecordSeenDatasets';

  override up(): void | Promise<void> {
    this.addSql(`alter table "evaluation" add "seen" jsonb null;`);
    this.addSql(`alter table "run" add "log_seen" jsonb null, add "withheld_bytes" int null;`);

    this.addSql(
      `update evaluation set seen = case when artifact.kind = 'predictions' then '[]'::jsonb
           else ${seenBy('evaluation.specification_id', 'own.task_id', 'evaluation.finished_at')} end
         from run_specification, artifact, dataset_version, dataset own
        where run_specification.id = evaluation.specification_id and artifact.id = run_specification.artifact_id
          and dataset_version.id = evaluation.dataset_version_id and own.id = dataset_version.dataset_id
          and (evaluation.predictions is not null or evaluation.failure is not null);`,
    );
    this.addSql(
      `update run set log_seen = ${seenBy('run.specification_id', 'run.task_id', 'run.finished_at')} where log is not null;`,
    );

    // the sentences of failures are read in many places
    this.addSql(
      `update model set failure = ${withheld('failure')} where ${ofRun('failure')} and exists (
         select from evaluation join dataset_version on dataset_version.id = evaluation.dataset_version_id
           join dataset on dataset.id = dataset_version.dataset_id
          where evaluation.specification_id = model.specification_id and dataset.task_id = model.task_id
            and evaluation.failure is not null and ${sawHidden('evaluation.seen')});`,
    );
    this.addSql(
      `update evaluation set failure = ${withheld('failure')} where ${ofRun('failure')} and ${sawHidden('seen')};`,
    );
    this.addSql(
      `update run set failure = ${withheld('failure')} where ${ofRun('failure')}
         and ${sawHidden(seenBy('run.specification_id', 'run.task_id', 'run.finished_at'))};`,
    );
    this.addSql(
      `update run_specification set repeatability = repeatability - 'why' where repeatability ->> 'why' is not null;`,
    );
    this.addSql(`update evaluation set seen = null where predictions is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "evaluation" drop column "seen";`);
    this.addSql(`alter table "run" drop column "log_seen", drop column "withheld_bytes";`);
  }
}
