import type { LatencyFloor, Measures, MeasureSpread } from '@assay/contracts/metrics';
import { joinedBins } from '@assay/scoring';
import { medianOf, standardDeviation } from '@assay/scoring/metrics';

type Figure = Exclude<keyof MeasureSpread, symbol>;

const FIGURES: readonly Figure[] = ['throughput', 'latency_p50', 'latency_p90', 'latency_p95', 'latency_p99', 'memory'];

/**
 * Summarises several measurements of one model. Each figure is the median over the uncontended
 * measurements on the hardware class of the newest one of these. If all were contended, the result
 * is the newest alone, marked as contended.
 * @param measurements oldest first
 * @returns null if there are no measurements
 */
export function summarizeMeasures(measurements: readonly Measures[]): Measures | null {
  const newest = measurements.findLast(({ contended }) => !contended) ?? measurements.at(-1);
  if (!newest) return null;

  const counted = newest.contended
    ? [newest]
    : measurements.filter(({ contended, hardware }) => !contended && hardware === newest.hardware);
  const median = (name: Figure | 'memory_cgroup' | 'cold_start') => medianOf(present(counted, (each) => each[name]));
  const bins = joinedBins(counted.flatMap(({ latency_bins }) => (latency_bins ? [latency_bins] : [])));
  return {
    throughput: median('throughput'),
    latency_p50: median('latency_p50'),
    latency_p90: median('latency_p90'),
    latency_p95: median('latency_p95'),
    latency_p99: median('latency_p99'),
    latency_count: Math.min(...counted.map((each) => each.latency_count)),
    ...(bins.length > 0 && { latency_bins: bins }),
    memory: median('memory'),
    memory_cgroup: median('memory_cgroup'),
    cold_start: median('cold_start'),
    contended: newest.contended,
    hardware: newest.hardware,
    floor: floorOf(counted),
    repeats: counted.length,
    spread: counted.length < 2 ? null : spreadOf(counted),
  };
}

function floorOf(measurements: readonly Measures[]): LatencyFloor | null {
  const floors = measurements.flatMap(({ floor }) => floor ?? []);
  if (floors.length === 0) return null;
  const median = (name: Exclude<keyof LatencyFloor, 'count' | 'bins'>) =>
    medianOf(present(floors, (each) => each[name]));
  const bins = joinedBins(floors.flatMap((each) => (each.bins ? [each.bins] : [])));
  return {
    latency_p50: median('latency_p50'),
    latency_p90: median('latency_p90'),
    latency_p95: median('latency_p95'),
    latency_p99: median('latency_p99'),
    count: Math.min(...floors.map(({ count }) => count)),
    ...(bins.length > 0 && { bins }),
  };
}

const spreadOf = (measurements: readonly Measures[]): MeasureSpread =>
  Object.fromEntries(
    FIGURES.map((name) => [name, standardDeviation(present(measurements, (each) => each[name]))]),
  ) as MeasureSpread;

const present = <T>(all: readonly T[], figure: (each: T) => number | null): number[] =>
  all.map(figure).filter((value) => value !== null);
