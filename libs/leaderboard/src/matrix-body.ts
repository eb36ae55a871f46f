import { encodeMatrix } from '@assay/scoring';
import { type BoardBody, etagOf } from './board-body.js';
import { type ContentEncoding, encodedBytes } from './encoded-body.js';
import type { BoardModel } from './board-content.js';
import type { PublishedBoard } from './leaderboard-view.js';
import { prepareContent } from './prepared-board.js';

export const MATRIX_MEDIA_TYPE = 'application/vnd.assay.board-matrix';

/** Returns the matrix file of a revision. The entity tag identifies the encoded bytes. */
export async function matrixBody(revision: PublishedBoard, encoding: ContentEncoding): Promise<BoardBody> {
  const bytes = await encodedBytes(matrixFile(revision), encoding);
  return { bytes, etag: etagOf(bytes) };
}

function matrixFile({ content, number, benchmarkVersion, publishedAt }: PublishedBoard): Uint8Array {
  const { matrix } = prepareContent(content);
  const { models } = content;
  const contended = models.map(contendedCosts);
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
    clean: Uint8Array.from(
      models.flatMap(({ exposure }) => matrix.datasets.map(({ name }) => (exposure?.[name] === 'clean' ? 1 : 0))),
    ),
  });
}

const contendedCosts = ({ cells }: BoardModel): string[] => [
  ...new Set(
    Object.values(cells).flatMap((cell) => Object.keys(cell).filter((metric) => cell[metric]!.contended === true)),
  ),
];
