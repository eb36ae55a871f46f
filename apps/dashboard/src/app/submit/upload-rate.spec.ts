import { describe, expect, it } from '@jest/globals';
import { UploadRate } from './upload-rate.js';

describe('UploadRate', () => {
  it('has none before something was sent for a moment', () => {
    const rate = new UploadRate();
    expect([rate.bytesPerSecond, rate.left(100)]).toEqual([null, null]);
    rate.take(5_000, 0);
    rate.take(6_000, 100);
    expect(rate.bytesPerSecond).toBeNull();
  });

  it('counts what was sent since it continues, not what was there before', () => {
    const rate = new UploadRate();
    rate.take(1_000_000, 0);
    rate.take(1_002_000, 1_000);
    expect(rate.bytesPerSecond).toBe(2_000);
    expect(rate.left(1_010_000)).toBe(4_000);
  });

  it('forgets what is long past', () => {
    const rate = new UploadRate();
    rate.take(0, 0);
    rate.take(90_000, 1_000);
    rate.take(90_000, 20_000);
    rate.take(91_000, 21_000);
    expect(rate.bytesPerSecond).toBe(1_000);
  });

  it('begins again after a pause', () => {
    const rate = new UploadRate();
    rate.take(0, 0);
    rate.take(8_000, 1_000);
    rate.restart();
    expect(rate.left(9_000)).toBeNull();
  });

  it('does not say when it ends while nothing comes through', () => {
    const rate = new UploadRate();
    rate.take(10, 0);
    rate.take(10, 2_000);
    expect(rate.left(100)).toBeNull();
  });
});
