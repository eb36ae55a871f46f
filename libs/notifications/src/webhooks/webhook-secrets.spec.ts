import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { webhookHeaders, WebhookSecrets } from './webhook-secrets.js';

const ONE = '0195a000-0000-7000-8000-000000000001';
const OTHER = '0195a000-0000-7000-8000-000000000002';

describe('secrets of webhooks', () => {
  const secrets = new WebhookSecrets(randomBytes(32));

  it('have 32 random bytes, as Standard Webhooks writes them', () => {
    const made = Array.from({ length: 20 }, () => secrets.make());
    expect(new Set(made).size).toBe(20);
    for (const secret of made) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
  });

  it('open again, sealed each time in another way', () => {
    const secret = secrets.make();
    const sealed = [secrets.seal(ONE, secret), secrets.seal(ONE, secret)];
    expect(sealed.map((each) => secrets.open(ONE, each))).toEqual([secret, secret]);
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(Buffer.from(sealed[0]!, 'base64').toString('latin1')).not.toContain(secret);
  });

  it('open for no other webhook, by no other key, and not once they were altered', () => {
    const sealed = secrets.seal(ONE, secrets.make());
    const bytes = Buffer.from(sealed, 'base64');
    bytes[15]! ^= 1;
    const other = new WebhookSecrets(randomBytes(32));
    expect(() => secrets.open(OTHER, sealed)).toThrow();
    expect(() => other.open(ONE, sealed)).toThrow();
    expect(() => secrets.open(ONE, bytes.toString('base64'))).toThrow();
    expect(() => secrets.open(ONE, bytes.subarray(0, 20).toString('base64'))).toThrow();
    expect(other.keyId).not.toBe(secrets.keyId);
  });
});

describe('the signature of a webhook', () => {
  it('is that of the libraries of Standard Webhooks', () => {
    // the example in the tests of its reference libraries
    const headers = webhookHeaders(
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      new Date(1_614_265_330_000),
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is one for each secret that counts, with a space between them', () => {
    const signature = (secrets: string[]) => webhookHeaders(secrets, 'msg_1', '{}', new Date())['webhook-signature'];
    const [one, other] = [`whsec_${'MfKQ'.repeat(8)}`, `whsec_${'p5jX'.repeat(8)}`];
    expect(signature([one, other])).toBe(`${signature([one])} ${signature([other])}`);
  });
});
