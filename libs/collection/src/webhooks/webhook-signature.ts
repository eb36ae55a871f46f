import { createHmac } from 'node:crypto';

/**
 * The headers that say which event it is and who sent it, as in Standard Webhooks 1.0.0: HMAC-SHA256 over id, time and body.
 * @param secrets with each of which it is signed: of two while receivers change from one to the other
 */
export function webhookHeaders(
  secrets: readonly string[],
  id: string,
  body: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
