import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import { BenchService } from './bench-service.js';

/** The results of several benches. */
export interface Measured {
  readonly rows: readonly (BenchRow & { readonly bench: string })[];
  /** The number of benches that ended with an error. */
  readonly failed: number;
  /** The versions of what the service ran on, if a bench used one. */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * Runs the benches one after the other on one service, and removes their files. A failed bench does
 * not prevent the others.
 */
export async function measure(
  wanted: readonly Bench[],
  how: Pick<BenchContext, 'quick' | 'rounds' | 'minutes' | 'picture'>,
): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  const say = (text: string): void => console.log(text);
  let started: Promise<BenchService> | undefined;
  const service = (): Promise<BenchService> => (started ??= BenchService.start(folder, say));
  const rows: (BenchRow & { readonly bench: string })[] = [];
  let failed = 0;
  const leave = async (): Promise<void> => {
    await (await started)?.close();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void leave().finally(() => process.exit(130)));
  }
  try {
    for (const bench of wanted) {
      say(`${bench.name} (load ${loadavg()[0]!.toFixed(1)})`);
      try {
        const found = await bench.run({ ...how, folder, say, service });
        rows.push(...found.map((row) => ({ ...row, bench: bench.name })));
      } catch (error) {
        failed++;
        console.error(error);
      }
      say('');
    }
    return { rows, failed, versions: (await (await started)?.versions()) ?? {} };
  } finally {
    await leave();
  }
}

export function tableOf(rows: readonly BenchRow[]): string {
  const verdict = (reached: boolean | null): string => (reached === null ? '' : reached ? 'yes' : '**no**');
  const lines = rows.map(
    ({ what, goal, measured, reached }) => `| ${what} | ${goal} | ${measured} | ${verdict(reached)} |`,
  );
  return ['| | goal | measured: median (range) | reached |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

export const machine = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.versions.node}`;
