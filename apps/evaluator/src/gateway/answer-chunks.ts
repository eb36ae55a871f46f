import { type Answer, predictionOf } from '@assay/contracts';
import type { TaskOutput } from '@assay/contracts/tasks';
import type { AnswersFacts, AnswersUpload } from './leased-run.js';

/** The bytes after which a chunk is sent. A chunk ends with a line, so that it may be larger. */
const CHUNK_BYTES = 2 ** 20;

/** Sends the answers to a dataset. */
export interface AnswersRequests {
  /** Sends the bytes that follow the first `offset` bytes. Repeating it changes nothing. */
  append(offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** @param size the bytes of all chunks */
  complete(size: number, facts: AnswersFacts): Promise<void>;
}

/** Collects the answers to a dataset as JSON lines, and sends them in chunks of about 1 MiB. */
export class AnswerChunks implements AnswersUpload {
  private lines: string[] = [];
  /** The bytes of `lines`. */
  private waiting = 0;
  /** The bytes that were sent. */
  private sent = 0;

  constructor(
    private readonly requests: AnswersRequests,
    private readonly output: TaskOutput,
  ) {}

  async append(answers: readonly (Answer | null)[]): Promise<void> {
    for (const answer of answers) {
      const line = `${JSON.stringify(answer && predictionOf(this.output, answer))}\n`;
      this.lines.push(line);
      this.waiting += Buffer.byteLength(line);
      if (this.waiting >= CHUNK_BYTES) await this.flush();
    }
  }

  async finish(facts: AnswersFacts): Promise<void> {
    await this.flush();
    await this.requests.complete(this.sent, facts);
  }

  /** The service removes the chunks of an incomplete upload when the lease ends. */
  discard(): Promise<void> {
    this.clear();
    return Promise.resolve();
  }

  private async flush(): Promise<void> {
    if (this.waiting === 0) return;
    const bytes = Buffer.from(this.lines.join(''));
    this.clear();
    await this.requests.append(this.sent, bytes);
    this.sent += bytes.length;
  }

  private clear(): void {
    this.lines = [];
    this.waiting = 0;
  }
}
