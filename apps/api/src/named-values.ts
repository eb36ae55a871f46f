import type { EntityManager } from '@mikro-orm/postgresql';

type Values = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Returns the rows of a statement in which `$name` stands for the value of that name. A name may
 * occur several times.
 */
export async function selectNamed<T extends object>(
  em: EntityManager,
  statement: string,
  values: Values,
): Promise<T[]> {
  const given: Values[string][] = [];
  const numbered = statement.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`nothing is given for $${name}`);
    given.push(value);
    return '?';
  });
  return em.execute<T[]>(numbered, given);
}
