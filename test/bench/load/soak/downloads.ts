import type { ApiAnswer } from '../../../factories/worlds/api-call.js';
import type { SoakOperation } from './operations.js';
import type { SoakedService } from './soaked-service.js';

interface Download {
  readonly path: string;
  readonly isWhole: (answer: ApiAnswer) => boolean;
}

/** Downloads: boards as tables and as columns, results of a model, datasets and annotations. */
export const ofDownloads = (soak: SoakedService): readonly SoakOperation[] => [
  { kind: 'download', people: 1, pace: 3_000, act: () => download(soak) },
];

async function download(soak: SoakedService): Promise<void> {
  const { world } = soak;
  const all = downloads(soak);
  const { path, isWhole } = all[soak.number() % all.length]!;
  const answer = await world.expect(200, 'GET', path, { token: world.admin });
  if (!isWhole(answer)) throw new Error(`GET ${path} is not whole: ${JSON.stringify(answer.body).slice(0, 300)}`);
}

function downloads({ task, collection, standing }: SoakedService): readonly Download[] {
  const board = `/tasks/${task}/leaderboard`;
  const model = `/models/${standing.at(-1)}`;
  const examples = `/tasks/${task}/datasets/examples`;
  const hasText =
    (text: string) =>
    ({ body }: ApiAnswer): boolean =>
      String(body).includes(text);
  return [
    { path: `${board}?format=csv`, isWhole: ({ body }) => linesOf(body) > 1 },
    { path: `${board}?format=latex`, isWhole: hasText('\\end{tabular}') },
    { path: `${board}/matrix`, isWhole: ({ body }) => String(body).length > 100 },
    { path: `${model}/result`, isWhole: ({ body }) => JSON.stringify(body).includes('"signature') },
    { path: `${model}/model-index`, isWhole: hasText('model-index') },
    { path: `${examples}/content`, isWhole: ({ body }) => linesOf(body) === 200 },
    { path: `${examples}/versions/1/croissant`, isWhole: ({ body }) => JSON.stringify(body).includes('croissant') },
    { path: `/tasks/${collection.task}/export`, isWhole: ({ body }) => linesOf(body) > 0 },
  ];
}

const linesOf = (body: unknown): number => String(body).trimEnd().split('\n').length;
