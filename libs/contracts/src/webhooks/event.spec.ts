import { describe, expect, it } from '@jest/globals';
import { parseEvent } from './event.js';

const ID = '01890000-0000-7000-8000-000000000001';

describe('an event', () => {
  it('has the payload of its name', () => {
    const event = parseEvent({ type: 'board.published', payload: { taskId: ID, revision: 3, more: 1 } });
    expect(event).toEqual({ type: 'board.published', payload: { taskId: ID, revision: 3 } });
  });

  it('of another version of the service is unknown', () => {
    expect(parseEvent({ type: 'board.coloured', payload: {} })).toBeUndefined();
    expect(parseEvent({ type: 'constructor', payload: {} })).toBeUndefined();
  });

  it('with another payload is refused', () => {
    expect(() => parseEvent({ type: 'round.opened', payload: { taskId: ID } })).toThrow('roundId');
  });
});
