// Collects garbage at SIGWINCH, and at SIGPWR gives back all that V8 keeps at hand besides, which takes a third of a second or more: nobody else has use for them here.
// Loaded beforehand (`--import`), so that what a process keeps is told from what lies about. After the latter it writes how many bytes V8 holds, its heap and
// what objects in it hold outside, into its temporary folder.
import { renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGWINCH', () => collect());
  process.on('SIGPWR', () => {
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    const { heapUsed, external } = process.memoryUsage();
    const note = join(tmpdir(), `held-by-${process.pid}`);
    writeFileSync(`${note}-`, String(heapUsed + external));
    renameSync(`${note}-`, note);
  });
}
