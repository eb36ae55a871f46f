import { Resolver } from 'node:dns/promises';

/**
 * Resolves a host name to its addresses.
 *
 * @throws the error of the name servers, or an error if `signal` was aborted
 */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Resolves names with the name servers of this host, or with `servers` (`address:port`), and
 * ignores the hosts file. Unlike `dns.lookup`, this does not occupy a thread of libuv's small pool,
 * which file access needs as well, while a name server does not answer. IPv4 addresses come first.
 */
export const nameResolver =
  (servers?: readonly string[]): ResolveName =>
  async (name, signal) => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const [first] = answers;
      if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
      return addresses;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
