// Collects garbage at SIGWINCH, and at SIGPWR gives back all that V8 keeps at hand besides, which takes a third of a second or more: nobody else has use for them here.
// Loaded beforehand (`--import`), so that what a process keeps is told from what lies about.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGWINCH', () => collect());
  process.on('SIGPWR', () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }));
}
