import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { CommandFailure } from './command-failure.js';
import { Output } from './output.js';

/** A title for the window, a cursor that moves up, a colour by C1, an override of the direction, a bell, a line that is overwritten. */
const HOSTILE = 'a\u001b]0;owned\u0007b\u001b[1Ac\u009b31md\u202ee\u2066f\u200fg\rh\u007f';
const SHOWN = String.raw`a\u001b]0;owned\u0007b\u001b[1Ac\u009b31md\u202ee\u2066f\u200fg\u000dh\u007f`;

/** Returns the text that a command writes to both streams. */
async function written(form: 'text' | 'json', isTTY: boolean, write: (output: Output) => unknown): Promise<string> {
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
  await write(new Output(form, stream, stream));
  stream.end();
  return text(stream);
}

describe('what a command writes', () => {
  const failure = new CommandFailure('refused', 'refused', HOSTILE);

  it.each([
    ['a result', (output: Output) => output.result({}, `${HOSTILE}\tx\ny`), `${SHOWN}\tx\ny\n`],
    ['what is going on', (output: Output) => output.tell(HOSTILE), `${SHOWN}\n`],
    ['a failure', (output: Output) => output.failure(failure), `${SHOWN}\n`],
  ])('as %s shows controls, and does not send them to the terminal', async (_what, write, expected) => {
    for (const isTTY of [true, false]) expect(await written('text', isTTY, write)).toBe(expected);
  });

  it('as JSON has them escaped, and is the same value', async () => {
    const json = await written('json', true, (output) => output.result({ [HOSTILE]: HOSTILE }, ''));
    expect(json).not.toMatch(/[^\n\x20-\x7e]/);
    expect(JSON.parse(json)).toEqual({ [HOSTILE]: HOSTILE });
    const failed = await written('json', true, (output) => output.failure(failure));
    expect(failed).not.toMatch(/[^\n\x20-\x7e]/);
  });

  it('as content shows them on a terminal, and leaves them as they are in a file', async () => {
    const parts = ['\u001b[', `31m${HOSTILE}`];
    for (const [isTTY, expected] of [
      [true, String.raw`\u001b[31m` + SHOWN],
      [false, parts.join('')],
    ] as const) {
      expect(await written('text', isTTY, (output) => output.stream(Readable.from(parts)))).toBe(expected);
      expect(await written('text', isTTY, (output) => output.raw(parts.join('')))).toBe(expected);
    }
  });
});
