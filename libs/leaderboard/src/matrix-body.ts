import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { encodeMatrix } from '@assay/scoring';
import { type BoardBody, etagOf } from './board-body.js';
import type { PublishedBoard } from './leaderboard-view.js';
import { prepareContent } from './prepared-board.js';

export const MATRIX_MEDIA_TYPE = 'application/vnd.assay.board-matrix';

/** In the order in which they are preferred. */
export const MATRIX_ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type MatrixEncoding = (typeof MATRIX_ENCODINGS)[number];

/** 10,000 models in some 50 ms; what it gains above takes ten times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The matrix file of a revision; its tag names the bytes as they are sent. */
export async function matrixBody(revision: PublishedBoard, encoding: MatrixEncoding): Promise<BoardBody> {
  const bytes = await encoded(matrixFile(revision), encoding);
  return { bytes, etag: etagOf(bytes) };
}

function matrixFile({ content, number, benchmarkVersion, publishedAt }: PublishedBoard): Uint8Array {
  const { matrix } = prepareContent(content);
  const { models } = content;
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
    clean: Uint8Array.from(
      models.flatMap(({ exposure }) => matrix.datasets.map(({ name }) => (exposure?.[name] === 'clean' ? 1 : 0))),
    ),
  });
}

async function encoded(file: Uint8Array, encoding: MatrixEncoding): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return promisify(brotliCompress)(file, BROTLI);
    case 'gzip':
      return promisify(gzip)(file);
    case 'identity':
      return Buffer.from(file.buffer);
  }
}
