import { type RateExplanation } from '@assay/contracts/boards';
import { declareMetric, isCostMetric } from '@assay/contracts/metrics';
import { shownUnit } from '@assay/contracts/text';
import type { AmrsPair, BoardMetric, Calibration } from '@assay/scoring/board';
import type { BoardContent } from '../boards/board-content.js';
import { officialRates, type Weighing, type WeighedBoard } from '../boards/weighed-board.js';

/** The number of model pairs to show for a metric. */
const SHOWN = 10;

/** The revision that determined the stored exchange rates. */
export interface RatesOrigin {
  readonly number: number;
  readonly content: BoardContent;
}

/**
 * Explains how the exchange rate of every weighted metric was determined, in data and in a
 * sentence.
 */
export function explainRates(weighed: WeighedBoard, weighing: Weighing, origin: RatesOrigin | null): RateExplanation[] {
  return weighed.calibration
    ? explainAmrs(weighed, weighed.calibration.amrs, { weighing, origin })
    : explainFixedRates(weighed);
}

/** Explains how many points a change of each metric adds to the score. */
function explainFixedRates({ board, ranking }: WeighedBoard): RateExplanation[] {
  return board.metrics.flatMap((metric, column): RateExplanation[] => {
    const coefficient = ranking.coefficients[column]!;
    if (coefficient === 0) return [];
    const sentence = metric.exchange ? costSentence(metric, coefficient) : pointSentence(metric, coefficient);
    return [{ metric: metric.name, amrs: null, rule: 'fixed', pairCount: 0, pairs: [], sentence }];
  });
}

const SHARE = 'its weight ÷ the weights of the metrics that count in points';

function costSentence({ name, direction, exchange }: BoardMetric, coefficient: number): string {
  const { rate } = exchange!;
  const change = direction === 'lower' ? 'Halving' : 'Doubling';
  return `${change} ${name} adds ${points(coefficient * rate)}: its rate is ${points(rate)} per doubling, multiplied by ${short(coefficient)} (${SHARE}).`;
}

function pointSentence({ name, unit, direction, curve }: BoardMetric, coefficient: number): string {
  const verb = direction === 'lower' && !curve ? 'subtracts' : 'adds';
  const one = curve
    ? `One point of the owner's utility of ${name}`
    : `One ${unit === 'ratio' ? 'percentage point' : 'unit'} of ${name}`;
  return `${one} ${verb} ${points(coefficient)} (${SHARE}).`;
}

const points = (value: number): string => `${short(value)} ${value === 1 ? 'point' : 'points'}`;

interface AmrsSource {
  readonly weighing: Weighing;
  readonly origin: RatesOrigin | null;
}

function explainAmrs(
  weighed: WeighedBoard,
  rates: Readonly<Record<string, number>>,
  { weighing, origin }: AmrsSource,
): RateExplanation[] {
  const { content } = weighed.scores;
  const isStored = weighing.amrs === 'official' && content.amrs !== null;
  const taken = isStored ? origin && officialRates(origin.content) : ratesNow(weighed, weighing);
  const rule = taken ? (taken.rule === 'live' ? 'mean' : 'median') : 'kept';
  const named = taken && new Map((isStored ? origin! : { content }).content.models.map(({ id, name }) => [id, name]));
  return content.metrics
    .filter((name) => (weighed.weights[name] ?? 0) > 0)
    .map((name): RateExplanation => {
      const amrs = rates[name] ?? null;
      const figures = { metric: name, amrs, ...(isStored && origin && { revision: origin.number }) };
      if (name === content.performance) {
        const sentence = `All rates are relative to ${name}, so its own rate is 1.`;
        return { ...figures, rule: 'performance', pairCount: 0, pairs: [], sentence };
      }
      const pairs = taken ? pairsOf(taken, name, content.performance) : [];
      const shown = rule === 'mean' ? pairs.slice(-SHOWN).reverse() : middle(pairs);
      const sentence = sentenceOf({ name, amrs, rule, pairs, shown, content, named });
      return { ...figures, rule, pairCount: pairs.length, pairs: shown, sentence };
    });
}

function ratesNow({ schema, rankable, effective }: WeighedBoard, { amrs }: Weighing): Calibration {
  return amrs === 'live' || schema > 1
    ? rankable.calibrate(effective, 'live')
    : rankable.calibrate(rankable.official, 'median');
}

type ShownPair = RateExplanation['pairs'][number];

/** Returns the pairs that have the metric, by ascending ratio. */
function pairsOf({ pairs }: Calibration, name: string, performance: string): ShownPair[] {
  const ratio = ({ gaps }: AmrsPair) => gaps[name]! / gaps[performance]!;
  return pairs
    .filter(({ gaps }) => gaps[name] !== undefined)
    .map((pair) => ({
      lower: [...pair.lower],
      upper: [...pair.upper],
      performanceGap: pair.gaps[performance]!,
      gap: pair.gaps[name]!,
      ratio: ratio(pair),
    }))
    .sort((a, b) => a.ratio - b.ratio);
}

/** Returns the one or two pairs that determine the median, and their neighbours. */
function middle(pairs: readonly ShownPair[]): ShownPair[] {
  const start = Math.max(0, Math.floor((pairs.length - SHOWN) / 2));
  return pairs.slice(start, start + SHOWN);
}

interface Told {
  readonly name: string;
  readonly amrs: number | null;
  readonly rule: RateExplanation['rule'];
  readonly pairs: readonly ShownPair[];
  readonly shown: readonly ShownPair[];
  readonly content: BoardContent;
  readonly named: ReadonlyMap<string, string> | null;
}

function sentenceOf({ name, amrs, rule, pairs, shown, content, named }: Told): string {
  if (rule === 'kept')
    return `Its rate is stored with the benchmark version. The models that it was computed from are no longer available.`;
  if (pairs.length === 0)
    return `There is no rate, because no two models that differ in ${content.performance} have ${name}.`;
  if (!amrs) {
    const spread = isCostMetric(name) ? ' by more than repeated measurements do' : '';
    return `The models do not differ in ${name}${spread}. It carries no information, so its weight passes to the other metrics.`;
  }
  const example = shown[rule === 'mean' ? 0 : Math.floor((shown.length - 1) / 2)]!;
  const names = (ids: readonly string[]) => ids.map((id) => `"${named?.get(id) ?? id}"`).join(' and ');
  const average = rule === 'mean' ? 'the mean' : 'the median';
  return (
    `One point of ${content.performance} corresponds to ${short(amrs)} ${pointsOf(name, content)}, ${average} over ` +
    `${pairs.length === 1 ? 'one pair' : `${pairs.length} pairs`} of neighbours in ${content.performance}. ` +
    `For example, ${names(example.lower)} and ${names(example.upper)} are ` +
    `${short(example.performanceGap)} points and ${short(example.gap)} ${pointsOf(name, content)} apart.`
  );
}

function pointsOf(name: string, content: BoardContent): string {
  const { unit } = declareMetric(name, content.performance)!;
  if (content.utilities?.[name] || unit === 'ratio') return `points of ${name}`;
  return unit === 'value' || unit === 'nat' ? name : `${shownUnit(unit)} of ${name}`;
}

const short = (value: number): string => String(Number(value.toPrecision(3)));
