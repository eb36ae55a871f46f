export type Failpoint =
  | 'after-claim'
  | 'after-start'
  | 'mid-dataset'
  | 'before-commit'
  | 'after-commit'
  | 'before-rescore'
  | 'after-rescore'
  | 'round.settled'
  | 'round.frozen'
  | 'round.promoted';

let passed = 0;

/**
 * Kills this process here where `ASSAY_FAILPOINT` is `name`, or at the n-th passage where it is `name:n`: as a power cut would, without
 * a word to anybody. For the tests of what survives that.
 */
export function failpoint(name: Failpoint): void {
  const wanted = process.env['ASSAY_FAILPOINT'];
  if (wanted === undefined) return;

  const [place, count = '1'] = wanted.split(':');
  if (place !== name) return;
  passed++;
  if (passed === Number(count)) process.kill(process.pid, 'SIGKILL');
}
