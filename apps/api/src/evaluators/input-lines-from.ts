interface InputRow {
  readonly index: number;
  readonly instance: string;
}

/**
 * Returns the instances at the positions from `from` on as JSON Lines. Reads the first of them before
 * it resolves, so that a dataset that cannot be read is refused before the response begins.
 */
export async function inputLinesFrom(
  inputs: AsyncGenerator<readonly InputRow[]>,
  from: number,
): Promise<AsyncGenerator<string>> {
  let next = await inputs.next();
  while (next.done !== true && !next.value.some(({ index }) => index >= from)) next = await inputs.next();

  async function* lines(): AsyncGenerator<string> {
    while (next.done !== true) {
      const wanted = next.value.filter(({ index }) => index >= from);
      yield wanted.map(({ instance }) => `${instance}\n`).join('');
      next = await inputs.next();
    }
  }
  return lines();
}

/**
 * Returns texts as lines. Reads the first of them before it resolves, so that a dataset that cannot be read
 * is refused before the response begins.
 */
export async function linesOf(texts: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  let next = await texts.next();

  async function* lines(): AsyncGenerator<string> {
    while (next.done !== true) {
      yield `${next.value}\n`;
      next = await texts.next();
    }
  }
  return lines();
}
