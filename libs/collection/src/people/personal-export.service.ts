import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

const AT_ONCE = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

const IN_TASK = `t.slug as task, r.number as round`;
const OF_ROUND = `join round r on r.id = x.round_id join task t on t.id = r.task_id`;

/**
 * SQL for the answers of the target models. Hides which models answered while the round is open,
 * because annotators must not know.
 */
const ANSWERS = `case when r.state <> 'open' then x.answers else (
    select coalesce(jsonb_agg(answer - '{model,specification}'::text[] order by place), '[]')
    from jsonb_array_elements(x.answers) with ordinality as said(answer, place)) end`;

/**
 * Queries for the parts of the export that are a single object, by name. The parameter is the
 * user's ID.
 */
const THINGS: Readonly<Record<string, string>> = {
  account: `select id, username, email, email_verified_at as "emailVerifiedAt", role, created_at as "createdAt" from user_account where id = ?`,
  profile: `select id, display_name as "displayName", bio, board, shows, updated_at as "updatedAt" from profile where user_id = ?`,
  notificationSettings: `select id, kinds from notification_settings where user_id = ?`,
};

/**
 * Queries for the parts of the export that are lists, by name. The parameter is the user's ID.
 * Refers to other people's work by ID only.
 */
const LISTS: Readonly<Record<string, string>> = {
  signIns: `select id, kind, name, address, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt"
    from credential where user_id = ?`,
  tasks: `select id, slug, created_at as "createdAt" from task where owner_id = ?`,
  models: `select x.id, t.slug as task, x.name, x.kind, x.description, x.card, x.trained_on as "trainedOn", x.protocol, x.command,
      x.state, x.failure, x.published, x.withdrawn, a.digest as artifact, x.created_at as "createdAt", x.accepted_at as "acceptedAt"
    from model x join task t on t.id = x.task_id left join run_specification s on s.id = x.specification_id
    left join artifact a on a.id = s.artifact_id where x.owner_id = ?`,
  forks: `select x.id, t.slug as task, x.name, x.description, x.weighing, x.created_at as "createdAt"
    from board_fork x join task t on t.id = x.task_id where x.owner_id = ?`,
  snapshots: `select x.id, t.slug as task, x.name, x.description, x.weighing, x.created_at as "createdAt"
    from board_snapshot x join task t on t.id = x.task_id where x.owner_id = ?`,
  participations: `select x.id, ${IN_TASK}, x.condition, x.created_at as "createdAt" from participation x ${OF_ROUND} where x.user_id = ?`,
  contexts: `select x.id, ${IN_TASK}, c.external_id as context, x.state, x.goal, x.created_at as "createdAt"
    from assignment x ${OF_ROUND} join round_context c on c.id = x.context_id where x.user_id = ?`,
  contextMarks: `select x.id, ${IN_TASK}, c.external_id as context, x.kind, x.reason, x.created_at as "createdAt"
    from context_mark x join round_context c on c.id = x.context_id
    join round r on r.id = c.round_id join task t on t.id = r.task_id where x.user_id = ?`,
  examples: `select x.id, ${IN_TASK}, x.pseudonym, x.condition, x.input, x.author_label as "authorLabel", x.label, x.goal, x.fooled,
      ${ANSWERS} as answers, x.explanations, x.extra, x.findings, x.edit_distance as "editDistance", x.seconds, x.outcome, x.split,
      x.decided_by_owner as "decidedByOwner", x.created_at as "createdAt", x.decided_at as "decidedAt", x.retracted_at as "retractedAt",
      (select p.reason from appeal p where p.annotation_id = x.id) as appeal
    from annotation x ${OF_ROUND} where x.annotator_id = ?`,
  validations: `select x.id, ${IN_TASK}, x.annotation_id as annotation, x.pseudonym, x.label, x.verdict, x.right_label as "rightLabel",
      x.reason, x.extra, x.by_owner as "byOwner", x.seconds, x.created_at as "createdAt", x.answered_at as "answeredAt"
    from validation x join annotation a on a.id = x.annotation_id
    join round r on r.id = a.round_id join task t on t.id = r.task_id where x.validator_id = ?`,
  consents: `select x.id, t.slug as task, x.consent_version as "consentVersion", x.licence_version as "licenceVersion",
      x.minimum_age as "minimumAge", x.warned, x.created_at as "createdAt"
    from consent_record x join task t on t.id = x.task_id where x.user_id = ?`,
  changes: `select x.id, x.at, x.action, x.subject_kind as "subjectKind", x.subject_id as "subject", x.subject_name as "subjectName",
      x."from", x."to", x.network from audit_entry x where x.actor = ?`,
  badges: `select id, badge, created_at as "createdAt" from badge_award where user_id = ?`,
  webhooks: `select id, url, kinds, created_at as "createdAt", disabled_at as "disabledAt" from webhook where user_id = ?`,
  webhookDeliveries: `select x.id, x.webhook_id as webhook, x.kind, x.body, x.state, x.attempts, x.log, x.created_at as "createdAt"
    from webhook_delivery x join webhook w on w.id = x.webhook_id where w.user_id = ?`,
  notifications: `select id, kind, data, created_at as "createdAt", read_at as "readAt", mailed_at as "mailedAt"
    from notification where user_id = ?`,
};

/**
 * Exports everything that is stored about a person as one JSON object, in chunks of text. Memory
 * use does not depend on the amount of data.
 */
@Injectable()
export class PersonalExportService {
  constructor(private readonly em: EntityManager) {}

  async *text(userId: string, now: Date): AsyncGenerator<string> {
    const em = this.em.fork();
    yield `{"exportedAt":${JSON.stringify(now.toISOString())}`;
    for (const [name, select] of Object.entries(THINGS)) {
      const [thing = null] = await rowsAfter(em, select, userId, FIRST);
      yield `,"${name}":${JSON.stringify(thing)}`;
    }
    for (const [name, select] of Object.entries(LISTS)) {
      yield `,"${name}":[`;
      yield* list(em, select, userId);
      yield ']';
    }
    yield '}\n';
  }
}

interface Row {
  readonly id: string;
}

async function* list(em: EntityManager, select: string, userId: string): AsyncGenerator<string> {
  let separator = '';
  for (let after = FIRST; ;) {
    const rows = await rowsAfter(em, select, userId, after);
    for (const row of rows) {
      yield separator + JSON.stringify(row);
      separator = ',';
    }
    const last = rows.at(-1);
    if (!last || rows.length < AT_ONCE) return;
    after = last.id;
  }
}

async function rowsAfter(em: EntityManager, select: string, userId: string, after: string): Promise<Row[]> {
  const rows = await em.execute<{ row: Row }[]>(
    `select to_jsonb(own) as row from (${select}) own where own.id > ? order by own.id limit ${AT_ONCE}`,
    [userId, after],
  );
  return rows.map(({ row }) => row);
}
