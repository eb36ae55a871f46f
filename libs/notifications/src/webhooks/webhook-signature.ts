import { createHmac } from 'node:crypto';

/**
 * Returns the headers that identify the event and its sender, as in Standard Webhooks 1.0.0:
 * HMAC-SHA-256 over ID, time and body.
 * @param secrets makes a signature with each: two while receivers switch to a new secret
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
