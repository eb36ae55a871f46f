import { officialBoard, type WeighedBoard, type Weighing } from './weighed-board.js';

/** Returns how a board differs from the official one, in words; null if it does not. */
export function weighingInWords(weighed: WeighedBoard, weighing: Weighing): string | null {
  const { content, matrix } = weighed.scores;
  const official = officialBoard(content);
  const ownRounds = weighed.rankable.ownRounds;
  const parts = [
    differences("weights differ from the task's", official.weights, weighed.weights),
    differences("dataset weights differ from the task's", official.datasetWeights, weighed.datasetWeights),
    weighing.amrs === 'live' ? liveWords(weighed) : null,
    ownRounds === matrix.aggregate.ownRounds
      ? null
      : ownRounds === 'count'
        ? 'scores on datasets that were collected against a model count unchanged (ownRounds=count)'
        : 'scores on datasets that were collected against a model are estimated from its others (ownRounds=adjust)',
    weighing.exposure === 'clean' ? cleanWords(weighed) : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : `Not the official board: ${parts.join('; ')}.`;
}

/** Returns null where the task itself ranks by the published Dynascore. */
function liveWords({ scores: { content } }: WeighedBoard): string | null {
  if (content.exchange?.kind === 'amrs') return null;
  const rates = 'exchange rates are means over the current models, as published (amrs=live)';
  return content.exchange ? `the score is the published Dynascore: ${rates}` : rates;
}

function cleanWords({ leftOut }: WeighedBoard): string {
  const models = leftOut === 1 ? '1 model' : `${leftOut} models`;
  return `only models that were submitted before any data of a weighted dataset was public (${models} left out)`;
}

function differences(
  what: string,
  official: Readonly<Record<string, number>>,
  chosen: Readonly<Record<string, number>>,
): string | null {
  const officialOf = (name: string): number => (Object.hasOwn(official, name) ? official[name]! : 0);
  const changed = Object.keys(chosen).filter((name) => officialOf(name) !== chosen[name]);
  if (changed.length === 0) return null;
  return `${what}: ${changed.map((name) => `${name} ${short(officialOf(name))} → ${short(chosen[name]!)}`).join(', ')}`;
}

/** Formats a number with three significant digits. */
const short = (value: number): string => String(Number(value.toPrecision(3)));
