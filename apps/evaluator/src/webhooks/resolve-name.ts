import { Resolver } from 'node:dns/promises';

/** The addresses of a name. @throws what the name servers answered, or that `signal` ended it */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks the name servers of this host, or those at `servers` (`address:port`), and not its file of names: no thread of the process waits for a
 * server that does not answer, of which there are few, and files are read by them too. IPv4 comes first.
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
