import { constants, createReadStream } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Answer, parseAnswer } from '@assay/contracts';
import { type Assignment, type CompleteAnswers, LARGEST_ANSWER_CHUNK } from '@assay/contracts/gateway';
import type { DatabaseRun } from '@assay/evaluation/gateway';
import { DomainError } from '@assay/kernel';
import { lineGroups, LineTooLong } from '@assay/tasks/examples';
import { Injectable } from '@nestjs/common';
import { type ClaimReference, GatewayStores } from './gateway-stores.js';

const INVALID = 'answers_invalid';

/** A dataset that a run answers. */
export interface AnsweredDataset {
  readonly claim: ClaimReference;
  /** ID of the evaluation. */
  readonly dataset: string;
}

/**
 * The answers that evaluators upload, as JSON Lines in one file for each dataset of a claim. A chunk
 * that is sent twice is written twice to the same place, so any API process may receive it.
 */
@Injectable()
export class UploadedAnswers {
  constructor(private readonly stores: GatewayStores) {}

  /**
   * Writes a chunk at `offset`.
   * @returns the bytes that are stored
   * @throws DomainError `answers_gap` if earlier bytes are missing
   */
  async append(dataset: AnsweredDataset, offset: number, chunk: Readable): Promise<number> {
    await mkdir(this.stores.folderOf(dataset.claim), { recursive: true });
    const path = this.pathOf(dataset);
    const size = await sizeOf(path);
    if (offset > size) throw gap(offset, size);
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      let at = offset;
      for await (const bytes of chunk as AsyncIterable<Buffer>) {
        await file.write(bytes, 0, bytes.length, at);
        at += bytes.length;
      }
      return Math.max(size, at);
    } finally {
      await file.close();
    }
  }

  /**
   * Checks the answers and stores them for the worker to score. Does nothing if they are stored already,
   * as after a lost response. Refused answers are sent again from the first byte.
   * @throws DomainError `answers_gap`, `answers_invalid`
   */
  async complete(dataset: AnsweredDataset, run: DatabaseRun, { size, ...facts }: CompleteAnswers): Promise<void> {
    if (run.isAnswered(dataset.dataset)) return;
    const path = this.pathOf(dataset);
    const stored = await sizeOf(path);
    if (stored !== size) throw gap(size, stored);
    const upload = await run.upload(dataset.dataset);
    try {
      for await (const answers of checkedAnswers(path, run.assignment, dataset.dataset)) await upload.append(answers);
      await upload.finish(facts);
    } catch (error) {
      if ((error as Partial<DomainError>).code === INVALID) await rm(path, { force: true });
      throw error;
    } finally {
      await upload.discard();
    }
    await rm(path, { force: true });
  }

  /** Removes all answers of a claim that were not completed. */
  discardAll(claim: ClaimReference): Promise<void> {
    return rm(this.stores.folderOf(claim), { recursive: true, force: true });
  }

  private pathOf({ claim, dataset }: AnsweredDataset): string {
    return join(this.stores.folderOf(claim), `${dataset}.jsonl`);
  }
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/** Yields the answers in a file, and throws if their number is not that of the examples. */
async function* checkedAnswers(
  path: string,
  assignment: Assignment,
  dataset: string,
): AsyncGenerator<(Answer | null)[]> {
  const { examples } = assignment.datasets.find(({ id }) => id === dataset)!;
  let number = 0;
  try {
    for await (const lines of lineGroups(createReadStream(path), LARGEST_ANSWER_CHUNK)) {
      yield lines.map((line) => answerOf(line, ++number, assignment));
    }
  } catch (error) {
    throw error instanceof LineTooLong ? invalid(`line ${error.line} is too long`) : error;
  }
  if (number !== examples) throw invalid(`has ${number} answers, and the dataset has ${examples} examples`);
}

function answerOf(line: string, number: number, assignment: Assignment): Answer | null {
  const prediction = parsed(line, number);
  if (prediction === null) return null;
  const outcome = parseAnswer(assignment.output, prediction, assignment);
  if (outcome.ok) return outcome.answer;
  throw invalid(`line ${number} ${outcome.why}`);
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw invalid(`line ${number} is not JSON`);
  }
}

const gap = (offset: number, size: number): DomainError =>
  new DomainError(
    'conflict',
    'answers_gap',
    `The service has ${size} bytes of the answers, not ${offset}. Send the answers again from byte ${size}.`,
  );

const invalid = (why: string): DomainError => new DomainError('invalid', INVALID, `The upload ${why}.`);
