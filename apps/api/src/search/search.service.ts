import type { SearchResults } from '@assay/contracts';
import { isAdministrator, type Principal } from '@assay/identity';
import { likeText } from '@assay/persistence';
import { publicModelSql } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { selectNamed } from '../named-values.js';

/**
 * Returns the SQL expression for how well the best of the names matches: 0 if it equals the text, 1
 * if it starts with it, 2 if it contains it.
 */
const fit = (...names: readonly string[]): string =>
  `least(${names.map((name) => `case when ${name} ilike $equal then 0 when ${name} ilike $prefix then 1 when ${name} ilike $infix then 2 end`).join(', ')})`;

/** Names are scanned without an index, which takes some tens of milliseconds for 100,000 models. */
const TASKS = `
  select slug, definition ->> 'name' as name from task
   where slug ilike $infix or definition ->> 'name' ilike $infix
   order by ${fit('slug', `definition ->> 'name'`)}, length(definition ->> 'name'), slug limit $limit`;

/**
 * The models that `maySee` allows: those that are public, of the caller, or in a task of the
 * caller.
 */
const MODELS = `
  select m.id, m.name, t.slug as task, u.username as owner
    from model m join task t on t.id = m.task_id join user_account u on u.id = m.owner_id
   where m.name ilike $infix
     and (${publicModelSql('m')}
       or m.owner_id = $asker::uuid or t.owner_id = $asker::uuid or $all::boolean)
   order by ${fit('m.name')}, length(m.name), m.id desc limit $limit`;

/**
 * The people who are public anyway, because they filled in their profile, appear by name on a
 * board, or own a public model or a task. Nobody finds the others.
 */
const PEOPLE = `
  select u.username, p.display_name as "displayName"
    from user_account u left join profile p on p.user_id = u.id
   where (u.username ilike $infix or p.display_name ilike $infix) and u.role <> 'crowd' and u.deleted_at is null and (
       p.display_name is not null or p.bio <> '' or p.board = 'name' or p.shows <> '[]'
       or u.id in (select m.owner_id from model m where ${publicModelSql('m')})
       or u.id in (select owner_id from task))
   order by ${fit('u.username', 'p.display_name')}, length(u.username), u.username limit $limit`;

/** Finds tasks, models and people by a part of their names. */
@Injectable()
export class SearchService {
  constructor(private readonly em: EntityManager) {}

  /** @param limit the maximum number of results of each kind */
  async find(principal: Principal | null, text: string, limit: number): Promise<SearchResults> {
    const pattern = likeText(text);
    const values = {
      equal: pattern,
      prefix: `${pattern}%`,
      infix: `%${pattern}%`,
      asker: principal?.userId ?? null,
      all: isAdministrator(principal),
      limit,
    };
    const em = this.em.fork();
    return {
      tasks: await selectNamed(em, TASKS, values),
      models: await selectNamed(em, MODELS, values),
      people: await selectNamed(em, PEOPLE, values),
    };
  }
}
