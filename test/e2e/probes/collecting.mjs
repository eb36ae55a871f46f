// Collects garbage at SIGWINCH, which nobody else has use for here. Loaded beforehand (`--import`), so that what a process keeps is told from what lies about.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGWINCH', () => collect());
}
