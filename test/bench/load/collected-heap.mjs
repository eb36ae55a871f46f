// What a process keeps: its heap, with the memory outside it that its objects hold, right after each full collection of garbage. Loaded
// beforehand (`--import`), it collects nothing itself: the process is as it would be without.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const folder = process.env['ASSAY_BENCH_HEAP'];

if (isMainThread && folder !== undefined) {
  const file = join(folder, String(process.pid));
  new PerformanceObserver((list) => {
    if (!list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return;
    const { heapUsed, external } = process.memoryUsage();
    appendFileSync(file, `${heapUsed + external}\n`);
  }).observe({ entryTypes: ['gc'] });
}
