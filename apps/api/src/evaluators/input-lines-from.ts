interface InputRow {
  readonly index: number;
  readonly instance: string;
}

/**
 * Returns the instances at the positions from `from` on as JSON Lines, a text for each group of rows. The
 * first of them is read as `linesOf` says.
 */
export function inputLinesFrom(
  inputs: AsyncGenerator<readonly InputRow[]>,
  from: number,
): Promise<AsyncGenerator<string>> {
  async function* lines(): AsyncGenerator<string> {
    for await (const rows of inputs) {
      const wanted = rows.filter(({ index }) => index >= from);
      if (wanted.length > 0) yield wanted.map(({ instance }) => `${instance}\n`).join('');
    }
  }
  return begun(lines());
}

/**
 * Returns texts as lines. Reads the first of them before it resolves, so that a dataset that cannot be read
 * is refused before the response begins.
 */
export function linesOf(texts: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  async function* lines(): AsyncGenerator<string> {
    for await (const text of texts) yield `${text}\n`;
  }
  return begun(lines());
}

/** Returns all values of a generator, after the first of them was read. */
async function begun(values: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  let next = await values.next();

  async function* all(): AsyncGenerator<string> {
    while (next.done !== true) {
      yield next.value;
      next = await values.next();
    }
  }
  return all();
}
