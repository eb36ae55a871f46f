import type { SearchResults } from '@assay/contracts';
import { isAdministrator, type Principal } from '@assay/identity';
import { likeText } from '@assay/persistence/queries';
import { publicModelSql } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql } from 'kysely';

/** Finds tasks, models and people by a part of their names. */
@Injectable()
export class SearchRepository {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns the best matches. Names are scanned without an index, which takes some tens of
   * milliseconds for 100,000 models.
   * @param limit the maximum number of results of each kind
   */
  async find(principal: Principal | null, text: string, limit: number): Promise<SearchResults> {
    const pattern = likeText(text);
    const infix = `%${pattern}%`;
    return {
      tasks: await this.rows(sql`
        select slug, definition ->> 'name' as name from task
         where slug ilike ${infix} or definition ->> 'name' ilike ${infix}
         order by ${fit(pattern, 'slug', `definition ->> 'name'`)}, length(definition ->> 'name'), slug limit ${limit}`),
      // the models that `maySee` allows: those that are public, of the caller, or in a task of theirs
      models: await this.rows(sql`
        select m.id, m.name, t.slug as task, u.username as owner
          from model m join task t on t.id = m.task_id join user_account u on u.id = m.owner_id
         where m.name ilike ${infix} and (${sql.raw(publicModelSql('m'))} or ${isAdministrator(principal)}::boolean
           or ${principal?.userId ?? null}::uuid in (m.owner_id, t.owner_id))
         order by ${fit(pattern, 'm.name')}, length(m.name), m.id desc limit ${limit}`),
      // the people who are public anyway, because they filled in their profile, appear by name on a
      // board, or own a public model or a task; nobody finds the others
      people: await this.rows(sql`
        select u.username, p.display_name as "displayName"
          from user_account u left join profile p on p.user_id = u.id
         where (u.username ilike ${infix} or p.display_name ilike ${infix}) and u.role <> 'crowd' and u.deleted_at is null and (
             p.display_name is not null or p.bio <> '' or p.board = 'name' or p.shows <> '[]'
             or u.id in (select m.owner_id from model m where ${sql.raw(publicModelSql('m'))})
             or u.id in (select owner_id from task))
         order by ${fit(pattern, 'u.username', 'p.display_name')}, length(u.username), u.username limit ${limit}`),
    };
  }

  private async rows<Row>(statement: RawBuilder<unknown>): Promise<Row[]> {
    const { rows } = await statement.execute(this.em.fork().getKysely());
    return rows as Row[];
  }
}

/**
 * Returns the SQL expression for how well the best of the names matches: 0 if it equals the text, 1
 * if it starts with it, 2 if it contains it.
 */
function fit(pattern: string, ...names: readonly string[]): RawBuilder<number> {
  const fits = names.map((each) => {
    const name = sql.raw(each);
    return sql`case when ${name} ilike ${pattern} then 0 when ${name} ilike ${`${pattern}%`} then 1
      when ${name} ilike ${`%${pattern}%`} then 2 end`;
  });
  return sql`least(${sql.join(fits)})`;
}
