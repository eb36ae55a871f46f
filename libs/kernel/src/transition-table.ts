/** The legal transitions of an aggregate: the states that may follow each state in one step. */
export type TransitionTable<State extends string> = Readonly<Record<State, readonly State[]>>;

/** Returns the states that `to` may follow, in the order of the table. */
export function statesBefore<State extends string>(
  table: TransitionTable<State>,
  to: NoInfer<State>,
): readonly [State, ...State[]] {
  const [first, ...rest] = (Object.keys(table) as State[]).filter((from) => table[from].includes(to));
  if (first === undefined) throw new TypeError(`no transition leads to ${to}`);
  return [first, ...rest];
}

/** Returns the states that no state follows, in the order of the table. */
export function finalStates<State extends string>(table: TransitionTable<State>): readonly State[] {
  return (Object.keys(table) as State[]).filter((state) => table[state].length === 0);
}

/**
 * Checks a transition of an aggregate that is locked in memory.
 * @throws TypeError if the table has no such transition
 */
export function assertTransition<State extends string>(
  table: TransitionTable<State>,
  from: NoInfer<State>,
  to: NoInfer<State>,
): void {
  if (!table[from].includes(to)) throw new TypeError(`no transition leads from ${from} to ${to}`);
}
