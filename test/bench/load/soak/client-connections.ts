import { readFileSync } from 'node:fs';

const ESTABLISHED = '01';

/** Connections to a port of this machine that both ends hold (proc(5), `net/tcp`): one whose client is gone is none. */
export function clientConnections(port: number): number {
  const rows = readFileSync('/proc/net/tcp', 'utf8').trimEnd().split('\n').slice(1);
  return rows.filter((row) => {
    const [, local, , state] = row.trim().split(/\s+/);
    return state === ESTABLISHED && Number.parseInt(local!.split(':')[1]!, 16) === port;
  }).length;
}
