import type { BenchContext } from './bench.js';

export type Arms<Name extends string> = Readonly<Record<Name, (round: number) => number | Promise<number>>>;

/**
 * Measures the arms in turn (A B A B), so that other load on the machine affects all of them.
 * Prints every sample and the medians.
 * @param unit The unit of the samples, for the output.
 */
export async function inTurn<Name extends string>(
  { say }: Pick<BenchContext, 'say'>,
  rounds: number,
  unit: string,
  arms: Arms<Name>,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(arms) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as unknown as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const sample = await arms[name](round);
      samples[name].push(sample);
      say(`  ${name}, sample ${round + 1}: ${figure(sample)} ${unit}`);
    }
  }
  for (const name of names) say(`  ${name}, median of ${rounds}: ${figure(median(samples[name]))} ${unit}`);
  return samples;
}

export function median(samples: readonly number[]): number {
  const sorted = Float64Array.from(samples).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Returns the quantile by the nearest-rank method: the smallest sample such that at least `share`
 * of all samples are not larger. NaN if there are no samples.
 */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** Returns the ratios of the samples taken in the same round. */
export const ratios = (over: readonly number[], under: readonly number[]): readonly number[] =>
  over.map((sample, round) => sample / under[round]!);

/** Formats three significant digits, with commas as thousands separators. */
export function figure(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

/** Formats the range of the samples: "1.03 to 1.08". */
export const range = (samples: readonly number[]): string =>
  `${figure(Math.min(...samples))} to ${figure(Math.max(...samples))}`;

export async function seconds(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
