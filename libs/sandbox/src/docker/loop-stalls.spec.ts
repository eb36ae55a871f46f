import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LoopStalls } from './loop-stalls.js';

describe('LoopStalls', () => {
  let now: number;
  let stalls: LoopStalls;
  beforeEach(() => {
    jest.useFakeTimers();
    now = 0;
    stalls = new LoopStalls(() => now);
  });
  afterEach(() => {
    stalls.stop();
    jest.useRealTimers();
  });

  const runs = (milliseconds: number): void => {
    for (let tick = 0; tick < milliseconds; tick += 20) {
      now += 20;
      jest.advanceTimersByTime(20);
    }
  };
  const stands = (milliseconds: number): void => {
    now += milliseconds;
  };

  it('trusts what was clocked while the loop ran', () => {
    runs(1000);
    expect(stalls.sinceLast()).toBe(false);
  });

  it('tells that the loop stood, also where nothing has run since', () => {
    runs(1000);
    stands(300);
    expect(stalls.sinceLast()).toBe(true);
  });

  it('adds up what was short', () => {
    for (let part = 0; part < 5; part++) {
      runs(1000);
      stands(250);
      runs(20);
    }
    expect(stalls.sinceLast()).toBe(true);
  });

  it('overlooks what is no matter in so long a time, and the usual work of a loop', () => {
    runs(10_000);
    stands(300);
    expect(stalls.sinceLast()).toBe(false);
    for (let part = 0; part < 100; part++) {
      stands(60);
      runs(20);
    }
    expect(stalls.sinceLast()).toBe(false);
  });

  it('begins again with each call', () => {
    stands(5000);
    expect(stalls.sinceLast()).toBe(true);
    runs(1000);
    expect(stalls.sinceLast()).toBe(false);
  });
});
