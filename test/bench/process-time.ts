import { readFileSync } from 'node:fs';

/** The length of a clock tick of proc(5) on Linux, in milliseconds. */
const MILLISECONDS = 10;

/** Returns the processor time of all threads of the process, in milliseconds. */
export function processTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // the process name, in parentheses, may contain anything; utime and stime are fields 14 and 15
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return MILLISECONDS * (Number(fields[11]) + Number(fields[12]));
}
