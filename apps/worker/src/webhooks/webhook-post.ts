import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { addressIn, type WebhookTargets } from '@assay/notifications/webhooks';
import type { ResolveName } from './resolve-name.js';

export interface PostSettings {
  readonly targets: WebhookTargets;
  readonly resolve: ResolveName;
  /** Milliseconds for everything: name resolution, connection, headers and response. */
  readonly milliseconds: number;
}

export interface WebhookRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The outcome of a post. Errors of the receiver or its network are values: nothing is thrown. */
export type PostOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly answer: string;
      readonly retryAfter: string | undefined;
    }
  | { readonly kind: 'unreached'; readonly problem: string };

/** Maximum number of bytes read from a response. */
const ANSWER_BYTES = 1024;
const HEADER_BYTES = 16 * 1024;

/**
 * Posts to an untrusted, user-supplied address (protection against SSRF). The name is resolved
 * once, all its addresses must be allowed, and the connection uses one of the checked addresses,
 * even if the name resolves differently by then. Follows no redirects, decompresses nothing, sends
 * no cookies, uses no proxy and keeps no connection alive.
 */
export async function postWebhook(request: WebhookRequest, settings: PostSettings): Promise<PostOutcome> {
  const deadline = AbortSignal.timeout(settings.milliseconds);
  const problem = settings.targets.problemOf(request.url);
  if (problem !== null) return unreached(problem);
  try {
    const addresses = await addressesOf(request.url, settings, deadline);
    const [address] = addresses;
    if (address === undefined) return unreached('Its host name has no address.');
    if (!addresses.every((each) => settings.targets.allows(each)))
      return unreached('Its host name resolves to an address that is not public.');
    return await posted(request, address, deadline);
  } catch (error) {
    return unreached(deadline.aborted ? `It did not answer within ${settings.milliseconds / 1000} s.` : wordsOf(error));
  }
}

function addressesOf(url: URL, { resolve }: PostSettings, deadline: AbortSignal): Promise<readonly string[]> {
  const address = addressIn(url);
  return address === null ? beforeEnd(resolve(url.hostname, deadline), deadline) : Promise.resolve([address]);
}

async function posted(
  { url, headers, body }: WebhookRequest,
  address: string,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const isSecure = url.protocol === 'https:';
  const options = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Assay-Webhooks/1',
      'accept-encoding': 'identity',
      ...headers,
    },
    lookup: always(address),
    signal,
    maxHeaderSize: HEADER_BYTES,
  };
  const sent = isSecure
    ? httpsRequest(url, { ...options, agent: new HttpsAgent({ keepAlive: false }) })
    : httpRequest(url, { ...options, agent: new HttpAgent({ keepAlive: false }) });
  try {
    const response = await responseTo(sent, body);
    const answer = await startOf(response, signal);
    return {
      kind: 'answered',
      status: response.statusCode ?? 0,
      answer: shownText(answer),
      retryAfter: response.headers['retry-after'],
    };
  } finally {
    sent.destroy();
  }
}

/**
 * Returns a lookup function that always yields the checked address, so that it is not resolved
 * again.
 */
function always(address: string): LookupFunction {
  const family = isIP(address);
  return (_name, { all }, callback) => {
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function responseTo(sent: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    // also after the response has begun: an error is then of no interest, but must be handled
    sent.on('error', reject);
    sent.once('upgrade', () => reject(new Error('it wants to speak another protocol')));
    sent.end(body);
  });
}

/**
 * Reads the start of a response. Only the status matters, so a response that breaks off or never
 * ends is used as far as it arrived.
 */
async function startOf(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES || signal.aborted) break;
    }
  } catch {
    // the part that arrived is used
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES);
}

/**
 * Decodes text, and replaces characters that would control a terminal, change the text direction or
 * cannot be stored.
 */
const shownText = (bytes: Buffer): string =>
  new TextDecoder().decode(bytes).replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{FFFD}');

const unreached = (problem: string): PostOutcome => ({ kind: 'unreached', problem });

function beforeEnd<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
    promise.then(resolve, reject);
  });
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'It refused the connection.',
  ECONNRESET: 'It closed the connection.',
  EHOSTUNREACH: 'There is no route to its address.',
  ENETUNREACH: 'There is no route to its address.',
  ENOTFOUND: 'Its host name has no address.',
  ENODATA: 'Its host name has no address.',
  ETIMEOUT: 'The DNS servers of its host name do not answer.',
  ESERVFAIL: 'The DNS servers of its host name do not answer.',
  HPE_HEADER_OVERFLOW: 'The headers of its response are too large.',
};

/**
 * Describes an error for the owner of the webhook. Uses only well-known error codes: the message of
 * an error could contain data from the response.
 */
function wordsOf(error: unknown): string {
  const { code = 'unknown' } = error as { readonly code?: string };
  if (WORDS[code] !== undefined) return WORDS[code];
  if (/CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS/.test(code)) return `Its certificate is not valid (${code}).`;
  return /^HPE_/.test(code) ? `Its response is not valid HTTP (${code}).` : `It cannot be reached (${code}).`;
}
