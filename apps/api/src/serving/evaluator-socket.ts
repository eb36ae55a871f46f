import { type DeploymentReply, LIVE_PING_SECONDS, LiveAnswered, type LiveQuestion } from '@assay/contracts/serving';
import type { RawData, WebSocket } from 'ws';
import type { ModelQuestion } from './internal-server.js';

/** Bytes of questions that wait to be sent, above which no further question is accepted. */
const MOST_WAITING = 64 * 2 ** 20;
/** The status codes of RFC 6455, section 7.4.1. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;

/** The WebSocket of an evaluator, on which the service asks the models that it serves. */
export class EvaluatorSocket {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  private readonly waiting = new Map<number, (reply: DeploymentReply | null) => void>();
  private asked = 0;
  private isAlive = true;

  /** @param mayStay returns whether the evaluator may stay connected; called at every ping */
  constructor(
    private readonly socket: WebSocket,
    readonly secret: string,
    private readonly mayStay: () => Promise<boolean>,
  ) {
    const pings = setInterval(() => void this.ping(), LIVE_PING_SECONDS * 1000);
    socket.on('pong', () => (this.isAlive = true));
    // the evaluator knows by the first ping that it may stay
    socket.ping();
    socket.on('message', (data) => this.read(data));
    // the close event follows
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        clearInterval(pings);
        for (const answer of [...this.waiting.values()]) answer(null);
        resolve();
      });
    });
  }

  /** Returns the reply of a model. Null: the evaluator did not give one within the time. */
  ask(question: ModelQuestion, milliseconds: number): Promise<DeploymentReply | null> {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount > MOST_WAITING) return Promise.resolve(null);
    const id = ++this.asked;
    const { promise, resolve } = Promise.withResolvers<DeploymentReply | null>();
    const patience = setTimeout(() => resolve(null), milliseconds);
    this.waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, ...question } satisfies LiveQuestion));
    return promise.finally(() => {
      clearTimeout(patience);
      this.waiting.delete(id);
    });
  }

  /** Ends the connection, because the service ends or the evaluator has connected again. */
  close(): void {
    this.socket.close(GOING_AWAY);
  }

  private read(data: RawData): void {
    const parsed = LiveAnswered.safeParse(jsonOf(data));
    // the waiting questions end with the connection
    if (!parsed.success) this.socket.close(POLICY_VIOLATION, 'the message has an unexpected form');
    else this.waiting.get(parsed.data.id)?.(parsed.data.reply);
  }

  private async ping(): Promise<void> {
    if (!this.isAlive) {
      this.socket.terminate();
      return;
    }
    this.isAlive = false;
    // a failure of the database says nothing about the evaluator
    const mayStay = await this.mayStay().catch(() => true);
    if (mayStay) this.socket.ping();
    else this.socket.close(POLICY_VIOLATION, 'the evaluator may no longer connect');
  }
}

function jsonOf(data: RawData): unknown {
  try {
    return JSON.parse((data as Buffer).toString('utf8'));
  } catch {
    return undefined;
  }
}
