import { describe, expect, it } from '@jest/globals';
import { tableAsCsv } from './board-menu.js';

describe('tableAsCsv', () => {
  it('quotes what needs it', async () => {
    expect(
      await tableAsCsv([
        ['a', 'b'],
        ['x, "y"', 0.5],
      ]),
    ).toBe('a,b\n"x, ""y""",0.5');
  });

  it.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\0=1', '＝1', '＋1', '－1', '＠x', '=HYPERLINK("x","y")'])(
    'lets %j be no formula, as a cell and as a header',
    async (text) => {
      const quoted = `"'${text.replaceAll('"', '""')}"`;
      expect(await tableAsCsv([[text], ['plain', text]])).toBe(`${quoted}\nplain,${quoted}`);
    },
  );

  it('leaves figures as they are', async () =>
    expect(await tableAsCsv([[-0.5, 2e-7, 'a=b', 'x-1']])).toBe('-0.5,2e-7,a=b,x-1'));
});
