import { describe, expect, it } from '@jest/globals';
import { deviceOf } from './session-start.js';

const MOZILLA = 'Mozilla/5.0';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('deviceOf', () => {
  it.each([
    [`${MOZILLA} (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0`, 'Firefox on Linux'],
    [
      `${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
      'Edge on Windows',
    ],
    [`${MOZILLA} (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`${MOZILLA} (Linux; Android 10; K) ${WEBKIT} Chrome/141.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      `${MOZILLA} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1`,
      'Safari on iOS',
    ],
    [
      `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15`,
      'Safari on macOS',
    ],
    ['node', 'A program'],
    [undefined, 'A program'],
  ])('calls %s %s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });
});
