import { readFileSync } from 'node:fs';

/** Of a tick of proc(5) on Linux. */
const MILLISECONDS = 10;

/** Milliseconds of processor time that the process has used, of all its threads. */
export function processTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // the name, in parentheses, may hold anything; utime and stime are fields 14 and 15
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return MILLISECONDS * (Number(fields[11]) + Number(fields[12]));
}
