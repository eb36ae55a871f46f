import { describe, expect, it } from '@jest/globals';
import { logText } from './container-log.js';
import { endOf, isBeingRemoved } from './model-end.js';

type State = Parameters<typeof endOf>[0];
const state = (ExitCode: number, OOMKilled = false) => ({ ExitCode, OOMKilled }) as State;

describe('endOf', () => {
  it('gives the code, and the signal behind it', () => {
    expect(endOf(state(3), 0, 1000)).toEqual({ kind: 'exited', code: 3 });
    expect(endOf(state(139), 0, 1000)).toEqual({ kind: 'exited', code: 139, signal: 'SIGSEGV' });
  });

  it('calls it memory by the word of the engine or of the kernel, whatever the code', () => {
    expect(endOf(state(0, true), 0, 1000)).toEqual({ kind: 'exceeded', limit: 'memory', amount: 1000 });
    expect(endOf(state(1), 1, 1000)).toEqual({ kind: 'exceeded', limit: 'memory', amount: 1000 });
  });
});

describe('isBeingRemoved', () => {
  it('tells a container that the engine is removing from one that ended', () => {
    expect(isBeingRemoved({ Status: 'removing', Dead: false } as State)).toBe(true);
    expect(isBeingRemoved({ Status: 'dead', Dead: true } as State)).toBe(true);
    expect(isBeingRemoved({ Status: 'exited', Dead: false } as State)).toBe(false);
  });
});

describe('logText', () => {
  const frame = (text: string) => {
    const body = Buffer.from(text);
    const header = Buffer.alloc(8);
    header[0] = 1;
    header.writeUInt32BE(body.length, 4);
    return Buffer.concat([header, body]);
  };

  it('joins the pieces, and keeps the end', () => {
    expect(logText(Buffer.concat([frame('one\n'), frame('two\n')]), 1000)).toBe('one\ntwo\n');
    expect(logText(Buffer.concat([frame('one\n'), frame('two\n')]), 5)).toBe('\ntwo\n');
  });

  it('cuts between characters and shows what no column could hold', () => {
    expect(logText(frame('äb'), 2)).toBe('b');
    expect(logText(frame('a\0b'), 10)).toBe('a\ufffdb');
  });
});
