import { describe, expect, it } from '@jest/globals';
import { tableAsCsv } from './shown-table.js';

describe('tableAsCsv', () => {
  it('quotes what needs it', () => {
    expect(
      tableAsCsv([
        ['a', 'b'],
        ['x, "y"', 0.5],
      ]),
    ).toBe('a,b\n"x, ""y""",0.5');
  });

  it.each(['=1+1', '+1', '-1', '@x'])('lets %s be no formula', (text) => {
    expect(tableAsCsv([[text]])).toContain(`'${text}`);
  });
});
