import type { SearchResults } from '@assay/contracts';
import { isAdministrator, type Principal } from '@assay/identity';
import { likeText } from '@assay/persistence';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { selectNamed } from '../named-values.js';

/** Of the names of one thing the one that fits best; small is good. No index: 100,000 names are read in some 50 ms. */
const fit = (...names: readonly string[]): string =>
  `least(${names
    .map(
      (name) =>
        `case when ${name} ilike $equal then 0 when ${name} ilike $prefix then 1 when ${name} ilike $infix then 2 end`,
    )
    .join(', ')})`;

const TASKS = `
  select slug, name from (
    select slug, definition ->> 'name' as name, ${fit('slug', `definition ->> 'name'`)} as fit from task) found
   where fit is not null order by fit, length(name), slug limit $limit`;

/** As `ModelsService.getVisible` has it: published and come in, or of the asker, or in a task of the asker. */
const MODELS = `
  select id, name, task, owner from (
    select m.id, m.name, t.slug as task, u.username as owner, ${fit('m.name')} as fit
      from model m join task t on t.id = m.task_id join user_account u on u.id = m.owner_id
     where (m.published and not m.withdrawn and m.specification_id is not null)
        or m.owner_id = $asker::uuid or t.owner_id = $asker::uuid or $all::boolean) found
   where fit is not null order by fit, length(name), id desc limit $limit`;

/** Who said something of themselves, or has a name on a board, can be read of anyway; the others are found by nobody. */
const PEOPLE = `
  select username, "displayName" from (
    select u.username, p.display_name as "displayName", ${fit('u.username', 'p.display_name')} as fit
      from user_account u left join profile p on p.user_id = u.id
     where u.role <> 'crowd' and u.deleted_at is null and (
       p.display_name is not null or p.bio <> '' or p.board = 'name' or p.shows <> '[]'
       or exists (select from model m where m.owner_id = u.id and m.published and not m.withdrawn and m.specification_id is not null)
       or exists (select from task t where t.owner_id = u.id))) found
   where fit is not null order by fit, length(username), username limit $limit`;

/** Finds things by a part of their names. */
@Injectable()
export class SearchService {
  constructor(private readonly em: EntityManager) {}

  /** @param limit of each kind */
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
