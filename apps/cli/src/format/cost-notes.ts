import type { Model } from '@assay/api-client/fetch';
import { count, metricValue, threeDigits } from './numbers.js';

type Measures = Model['evaluations'][number]['measures'];

/**
 * Returns the notes that a reader of the costs needs, whether the model's answers are repeatable, and
 * whether they differed when people asked it. One line each; '' if there are none.
 */
export function costNotes({ evaluations, measuring, awaitsMeasurement, repeatability, liveDifference }: Model): string {
  const measured = evaluations.map(({ measures }) => measures).filter(({ hardware }) => hardware !== undefined);
  const newest = measured[0];
  return [
    ...(newest ? notesOn(newest) : []),
    ...(measured.some(({ contended }) => contended)
      ? ['some costs were measured while something else used the host; they are measured again when it is idle']
      : []),
    ...(measured.some(({ short }) => short)
      ? ['the throughput was measured on few examples, because there are too few different ones']
      : []),
    ...(awaitsMeasurement && measured.some(({ provisional }) => provisional)
      ? [
          'throughput and latencies are provisional: they were taken while the model answered, and a measurement follows',
        ]
      : []),
    ...(measuring ? ['the costs are being measured'] : []),
    ...(repeatability ? [repeatabilityText(repeatability)] : []),
    ...(liveDifference ? [liveDifferenceText(liveDifference)] : []),
  ].join('\n');
}

const liveDifferenceText = ({ round, compared, different }: NonNullable<Model['liveDifference']>): string =>
  `NOT A TARGET MODEL: in round ${round} it answered people differently than in its evaluation, on ${count(different)} of ${count(compared)} examples`;

function notesOn(measures: Measures): string[] {
  const {
    hardware,
    floor,
    repeats = 1,
    spread,
    cpu_time,
    throughput,
    throughput_spread,
    latency_p50,
    latency_low,
  } = measures;
  const figure = (value: number | null | undefined): string => threeDigits(value ?? 0);
  // of one measurement, that of its passes
  const ofThroughput = spread?.throughput ?? throughput_spread;
  const spreads = [
    ...(typeof spread?.cpu_time === 'number' && typeof cpu_time === 'number'
      ? [`CPU time ± ${metricValue('s/example', spread.cpu_time)} ms/example`]
      : []),
    ...(typeof ofThroughput === 'number' && typeof throughput === 'number'
      ? [`throughput ± ${figure(ofThroughput)} ex/s`]
      : []),
    ...(typeof spread?.latency_p50 === 'number' && typeof latency_p50 === 'number'
      ? [`latency p50 ± ${figure(spread.latency_p50)} ms`]
      : []),
  ];
  return [
    `costs on ${hardware}, measured ${repeats === 1 ? 'once' : `${count(repeats)} times: medians`}${spreads.length > 0 ? `, ${spreads.join(', ')} (standard deviation)` : ''}`,
    ...(typeof latency_low?.latency_p50 === 'number'
      ? [`latencies are upper bounds; with 95% confidence they are at least ${percentilesText(latency_low)}`]
      : []),
    ...(typeof floor?.latency_p50 === 'number'
      ? [
          `each latency includes the overhead of the sandbox: ${percentilesText(floor)} (measured with a model that does nothing)`,
        ]
      : []),
    ...(typeof floor?.latency_p50 === 'number' && typeof latency_p50 === 'number' && latency_p50 < floor.latency_p50
      ? [
          "BELOW THE FLOOR: half of its requests took less time than those of a model that does nothing; either its server is faster than the reference's, or it answers single requests without computing them",
        ]
      : []),
  ];
}

function percentilesText({ latency_p50, latency_p95, latency_p99 }: NonNullable<Measures['latency_low']>): string {
  const figures = { p50: latency_p50, p95: latency_p95, p99: latency_p99 };
  return Object.entries(figures)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${threeDigits(value!)} ms`)
    .join(', ');
}

function repeatabilityText({ compared, different, why }: NonNullable<Model['repeatability']>): string {
  const asked =
    different === 0
      ? `deterministic: ${count(compared)} examples got the same answers in a fresh container`
      : `NOT DETERMINISTIC: ${count(different)} of ${count(compared)} examples got other answers in a fresh container`;
  if (why === undefined) return asked;
  return compared === 0 ? `not known whether it is deterministic. ${why}` : `${asked}. ${why}`;
}
