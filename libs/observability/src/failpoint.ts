export type Failpoint =
  | 'after-claim'
  | 'before-admission'
  | 'after-admission'
  | 'after-enqueue'
  | 'after-install'
  | 'after-start'
  | 'mid-dataset'
  | 'before-commit'
  | 'after-commit'
  | 'after-floor-start'
  | 'after-repeat-start'
  | 'before-finish'
  | 'before-publish'
  | 'after-publish'
  | 'mid-score'
  | 'before-score'
  | 'after-score'
  | 'round.settled'
  | 'round.frozen'
  | 'round.promoted';

const WANTED = /^(?<place>[a-z.-]+)(?::(?<count>\d+))?(?:@(?<run>[0-9a-f-]+))?(?:=(?<seconds>[\d.]+))?$/;

let passed = 0;

/**
 * Kills this process without any clean-up, like a power failure, if `ASSAY_FAILPOINT` is `name`.
 * `name:3` does so at the third call, `name@<run>` only in that run, and `name=45` blocks the event
 * loop for 45 seconds instead. For tests of crash recovery.
 */
export function failpoint(name: Failpoint, run?: string): void {
  const setting = process.env['ASSAY_FAILPOINT'];
  if (setting === undefined) return;

  const wanted = WANTED.exec(setting)?.groups;
  if (wanted?.['place'] !== name || (wanted['run'] ?? run) !== run) return;
  passed++;
  if (passed !== Number(wanted['count'] ?? 1)) return;
  const seconds = Number(wanted['seconds'] ?? 0);
  if (seconds === 0) process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);
}
