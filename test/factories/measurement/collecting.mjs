// Preload (`--import`) that makes retained memory measurable. Collects garbage on SIGWINCH. On
// SIGPWR it also releases V8's free memory, which takes a third of a second or more, and then
// writes the number of bytes that V8 holds (its used heap and external memory) to a file in the
// temporary folder. Nothing else in these processes uses the two signals.
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
