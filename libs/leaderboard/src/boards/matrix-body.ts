import { encodeMatrix } from '@assay/scoring/board';
import { bodyOf, type ContentEncoding, encodedBytes, type ResponseBody } from '../formats/encoded-body.js';
import type { BoardModel } from './board-content.js';
import type { PublishedBoard } from './leaderboard-view.js';
import { scoreMatrixOf } from './score-matrix.js';

export const MATRIX_MEDIA_TYPE = 'application/vnd.assay.board-matrix';

/** Returns the matrix file of a revision. The entity tag identifies the encoded bytes. */
export async function matrixBody(revision: PublishedBoard, encoding: ContentEncoding): Promise<ResponseBody> {
  return bodyOf(await encodedBytes(matrixFile(revision), encoding));
}

function matrixFile({ content, number, benchmarkVersion, publishedAt, disclosure }: PublishedBoard): Uint8Array {
  const { matrix } = scoreMatrixOf(content);
  const { models } = content;
  const contended = models.map((model) => markedCosts(model, 'contended'));
  const short = models.map((model) => markedCosts(model, 'short'));
  return encodeMatrix({
    task: content.task,
    benchmarkVersion,
    revision: number,
    publishedAt: publishedAt.toISOString(),
    matrix,
    names: models.map(({ name }) => name),
    owners: models.map(({ owner }) => owner),
    kinds: models.map(({ kind }) => kind),
    sizes: models.map(({ size }) => size ?? null),
    acceptedAt: models.map(({ acceptedAt }) => acceptedAt ?? null),
    ...(contended.some((costs) => costs.length > 0) && { contended }),
    ...(short.some((costs) => costs.length > 0) && { short }),
    ...(models.some(({ evaluators }) => evaluators) && {
      evaluators: models.map(({ evaluators = [] }) => evaluators),
    }),
    ...(disclosure && { disclosure }),
    ...(disclosure === 'rounded' && {
      rounded: content.datasets.filter(({ rounded }) => rounded).map(({ name }) => name),
    }),
    clean: Uint8Array.from(
      models.flatMap(({ exposure }) => matrix.datasets.map(({ name }) => (exposure?.[name] === 'clean' ? 1 : 0))),
    ),
  });
}

const markedCosts = ({ cells }: BoardModel, mark: 'contended' | 'short'): string[] => [
  ...new Set(
    Object.values(cells).flatMap((cell) => Object.keys(cell).filter((metric) => cell[metric]![mark] === true)),
  ),
];
