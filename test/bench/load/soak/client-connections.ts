import { readFileSync } from 'node:fs';

const ESTABLISHED = '01';

/**
 * Counts the connections to a local port that are established at both ends (proc(5), `net/tcp`).
 * Excludes those whose client has gone.
 */
export function clientConnections(port: number): number {
  const rows = readFileSync('/proc/net/tcp', 'utf8').trimEnd().split('\n').slice(1);
  return rows.filter((row) => {
    const [, local, , state] = row.trim().split(/\s+/);
    return state === ESTABLISHED && Number.parseInt(local!.split(':')[1]!, 16) === port;
  }).length;
}
