import type { RoundState } from '@assay/contracts/collection';
import type { RoundCounts } from '@assay/contracts/rounds';
import { DomainError, newId } from '@assay/kernel';
import { preparedRows, Repository, uuidArray } from '@assay/persistence/queries';
import type { WantedDeployment } from '@assay/serving';
import { Round, type RoundSchema } from '@assay/tasks';

/** A model's entry into a loop, or its exit. */
export interface LoopMove {
  /** The ID of the database row that records it. */
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly name: string;
  /** The number of the round; null: the task's own loop. */
  readonly round: number | null;
  readonly why: string | null;
}

const MOVE_DAYS = 7;

const turnsBy = (...keys: readonly string[]): string =>
  keys.map((key) => `round.settings -> 'turn' -> '${key}' is not null`).join(' or ');

/**
 * SQL for a round whose state an annotation may change: it is closing, or a count of examples
 * closes it.
 */
const COUNTING = `(round.state = 'closing' or (round.state = 'open' and (${turnsBy('examples', 'validated')})))`;
/** SQL for a round with automatic work: it is closing, or open with a rule that may close it. */
const AT_WORK = `(${COUNTING} or (round.state = 'open' and (${turnsBy('closesAt', 'saturation')})))`;

/** SQL for the sum of a counter of all annotators. */
const sumOf = (counter: string, name = counter): string => `coalesce(sum(${counter}), 0)::int as "${name}"`;

const MODEL_OF = `
select 1 from round_model r join model m on m.id = r.model_id
where r.round_id = $1::uuid and m.owner_id = $2::uuid limit 1`;

/** The rounds of the database, with their participants and loops. */
export class RoundRepository extends Repository<typeof RoundSchema> {
  /**
   * Returns the round with its task and owner, locked for a change of its state until the
   * transaction ends. Waits for every transaction that holds it through `lockState`. Does not block
   * transactions that only reference the round by foreign key. Lock order: the round before its
   * task, never after.
   */
  async getForUpdate(id: string): Promise<Round> {
    await this.db.selectFrom('round').select('id').where('id', '=', id).forNoKeyUpdate().execute();
    return this.em.findOneOrFail(Round, id, { refresh: true, populate: ['task.owner'] });
  }

  /** Returns whether a user owns a model that is or was in the loop of a round. */
  async hasModelOf(round: string, user: string): Promise<boolean> {
    const rows = await preparedRows(this.em, MODEL_OF, [round, user]);
    return rows.length > 0;
  }

  /** Returns the state of a round, fixed until the transaction ends. Writers share the lock. */
  async lockState(id: string): Promise<RoundState | undefined> {
    const row = await this.db.selectFrom('round').select('state').where('id', '=', id).forShare().executeTakeFirst();
    return row?.state;
  }

  /**
   * Holds the round open until the transaction ends, so that everything written in it counts.
   * @throws DomainError `round_closed`
   */
  async expectOpen({ id, number }: Pick<Round, 'id' | 'number'>): Promise<void> {
    if ((await this.lockState(id)) === 'open') return;
    throw new DomainError('conflict', 'round_closed', `Round ${number} is closed and accepts no more data.`);
  }

  /** Adds to the bytes stored by a round. Returns the ID of the task's owner, who has the quota. */
  async addBytes(id: string, bytes: number): Promise<string> {
    const { owner } = await this.row<{ owner: string }>(
      `update round set put_bytes = put_bytes + ? from task where round.id = ? and task.id = round.task_id
        returning task.owner_id as owner`,
      [bytes, id],
    );
    return owner;
  }

  /** Returns the progress of a round: its contexts, annotators, and examples by outcome. */
  async counts(id: string): Promise<RoundCounts> {
    return (await this.countsOf([id])).get(id)!;
  }

  /** Returns the progress of rounds by ID. */
  async countsOf(ids: readonly string[]): Promise<ReadonlyMap<string, RoundCounts>> {
    const rows = await this.em.execute<(RoundCounts & { id: string })[]>(
      `select wanted.id, contexts.*, counts.*
        from unnest(?::uuid[]) as wanted(id)
        cross join lateral (
          select count(*)::int as contexts, (count(*) filter (where active))::int as "activeContexts"
          from round_context where round_id = wanted.id
        ) contexts
        cross join lateral (
          select count(distinct pseudonym) filter (where answered > 0)::int as annotators,
            ${sumOf('answered', 'examples')},
            coalesce(sum(answered) filter (where source = 'attested'), 0)::int as attested,
            ${sumOf('validated_fooling', 'validatedFooling')},
            ${['fooled', 'pending', 'validated', 'rejected', 'flagged', 'undecided', 'retracted'].map((name) => sumOf(name)).join(', ')}
          from annotator_count where round_id = wanted.id
        ) counts`,
      [uuidArray(ids)],
    );
    return new Map(rows.map(({ id, ...counts }) => [id, counts]));
  }

  /** Returns the IDs of the rounds with automatic work, of one task or of all. */
  atWork(task?: string): Promise<string[]> {
    return task === undefined ? this.where(AT_WORK) : this.where(`${AT_WORK} and round.task_id = ?`, task);
  }

  /** Returns the ID of the round of an annotation if the annotation may change its state. */
  counting(annotation: string): Promise<string[]> {
    return this.where(
      `${COUNTING} and round.id = (select round_id from annotation where annotation.id = ?)`,
      annotation,
    );
  }

  /** Stores that a person takes part in a round, in the arm `condition`, unless they do already. */
  async enrol(round: string, user: string, condition: string | null): Promise<void> {
    await this.em.execute(
      `insert into participation (id, round_id, user_id, condition, created_at) values (?, ?, ?, ?, now()) on conflict do nothing`,
      [newId(), round, user, condition],
    );
  }

  /** Counts one more trial of a participant. Returns false if they had `most` on the UTC day. */
  async countTrial(round: string, user: string, day: string, most: number): Promise<boolean> {
    const counted = await this.em.execute<unknown[]>(
      `update participation set trials = case when trials_on = ? then trials + 1 else 1 end, trials_on = ?
        where round_id = ? and user_id = ? and (trials_on is distinct from ? or trials < ?) returning id`,
      [day, day, round, user, day, most],
    );
    return counted.length > 0;
  }

  /**
   * Returns the models that people may write against now, if their image is not archived: those of
   * a task's open round, or, if none is open and the task collects examples, those of its own loop.
   */
  targetModels(): Promise<WantedDeployment[]> {
    return this.em.execute<WantedDeployment[]>(
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
  }

  /**
   * Returns the moves of the last `MOVE_DAYS` days in the loops of a task. That is all moves in the
   * loop of the policy, and those in the loop of a round that differ from it: models that a person
   * named, replacements, and models that left while the round was open.
   */
  async loopMoves(task: string): Promise<{ readonly entered: LoopMove[]; readonly left: LoopMove[] }> {
    const of = (table: string) =>
      `m.id as model, m.name, m.owner_id as owner from ${table} x join model m on m.id = x.model_id`;
    const moves = (moment: 'since' | 'until', why: string, condition: string): Promise<LoopMove[]> =>
      this.em.execute<LoopMove[]>(
        `select x.id, null::int as round, null as why, ${of('promotion')}
          where x.task_id = ? and x.${moment} > now() - make_interval(days => ?)
         union all select x.id, r.number, ${why}, ${of('round_model')} join round r on r.id = x.round_id
          where r.task_id = ? and x.${moment} > now() - make_interval(days => ?) and ${condition}`,
        [task, MOVE_DAYS, task, MOVE_DAYS],
      );
    const entered = await moves('since', 'null', `x.reason <> 'policy'`);
    return { entered, left: await moves('until', 'x."left"', '(r.closed_at is null or x.until < r.closed_at)') };
  }

  private where(condition: string, ...values: string[]): Promise<string[]> {
    return this.idsOf(this.em.execute<{ id: string }[]>(`select round.id from round where ${condition}`, values));
  }
}
