import { describe, expect, it } from '@jest/globals';
import { stateDiagram } from './states-page.js';

describe('a state diagram', () => {
  it('has every transition, the first states and the last ones', () => {
    const table = { open: ['shut', 'walled-up'], shut: ['open', 'shut'], 'walled-up': [] };
    expect(stateDiagram(table, ['open'])).toBe(
      [
        'stateDiagram-v2',
        '  state "walled-up" as walled_up',
        '  [*] --> open',
        '  open --> shut',
        '  open --> walled_up',
        '  shut --> open',
        '  shut --> shut',
        '  walled_up --> [*]',
      ].join('\n'),
    );
  });
});
