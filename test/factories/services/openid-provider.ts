import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** The claims that the test provider makes about a person. */
export interface TestPerson {
  readonly email: string;
  readonly email_verified: boolean;
}

/**
 * A real OpenID provider on loopback. The person whose subject is `current` signs in without a
 * prompt.
 */
export interface TestProvider {
  readonly issuer: string;
  readonly people: Map<string, TestPerson>;
  /** The subject of the next sign-in. */
  current: string;
  /** The time of authentication that the provider reports; null: the time of the sign-in. */
  knownSince: Date | null;
  /**
   * Signs in with a browser at `url`.
   * @returns The URL to which the provider redirects the browser.
   */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT = { id: 'assay', secret: 'a secret of the test alone' } as const;

/**
 * Starts a provider.
 * @param redirectUri The client's redirect URI.
 */
export async function testProvider(redirectUri: string): Promise<TestProvider> {
  // the issuer contains the port, which is known only once the server listens
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, TestPerson>();

  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['of the test'] },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...people.get(subject) }),
    }),
  });
  const handle = provider.callback();
  const test: TestProvider = {
    issuer,
    people,
    current: '',
    knownSince: null,
    visit: (url) => followed(url, issuer),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const agree = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: test.current, clientId: String(params['client_id']) });
    grant.addOIDCScope('openid email');
    const ts = test.knownSince && Math.floor(test.knownSince.getTime() / 1000);
    const result = { login: { accountId: test.current, ...(ts && { ts }) }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result);
  };
  answer = (request, response) => {
    if (request.url?.startsWith('/interaction/')) void agree(request, response);
    else void handle(request, response);
  };
  return test;
}

/** Follows redirects within the provider, with its cookies, until one leaves it. */
async function followed(start: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  while (url.startsWith(issuer)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const header of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(header)!;
      cookies.set(name!, value!);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    url = new URL(next, url).href;
  }
  return url;
}
