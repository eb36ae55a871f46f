import {
  type DeploymentReply,
  LARGEST_LIVE_MESSAGE,
  LIVE_PATH,
  LIVE_PING_SECONDS,
  type LiveAnswered,
  LiveQuestion,
} from '@assay/contracts/serving';
import { Logger } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { ChangedWarnings } from '../gateway/changed-warnings.js';
import { GrowingDelays } from '../gateway/retries.js';
import { jsonOrUndefined, type ServiceClient } from '../gateway/service-client.js';

/** Asks a target model that this evaluator serves. Each instance is JSON. */
export type AskServed = (question: LiveQuestion['ask'], instances: readonly string[]) => Promise<DeploymentReply>;

/**
 * The WebSocket on which the service asks the target models of this evaluator. It is opened again
 * when it ends.
 */
export class LiveConnection {
  private readonly logger = new Logger(LiveConnection.name);
  private readonly problems = new ChangedWarnings(this.logger);
  private readonly leaving = new AbortController();
  private readonly delays = new GrowingDelays();
  private readonly served = new Map<string, AskServed>();
  private running: Promise<void> = Promise.resolve();

  /** @param silentSeconds seconds without a ping of the service after which the connection is given up */
  constructor(
    private readonly client: ServiceClient,
    private readonly silentSeconds = 2 * LIVE_PING_SECONDS,
  ) {}

  /** Connects, and stays connected until `close`. */
  start(): void {
    this.running = this.stayConnected();
  }

  add(deployment: string, ask: AskServed): void {
    this.served.set(deployment, ask);
  }

  remove(deployment: string): void {
    this.served.delete(deployment);
  }

  async close(): Promise<void> {
    this.leaving.abort();
    await this.running;
  }

  private async stayConnected(): Promise<void> {
    const { signal } = this.leaving;
    while (!signal.aborted) {
      const why = await this.connection(signal);
      if (signal.aborted) return;
      this.problems.warn(`the connection for questions to target models ended: ${why}`);
      await this.delays.wait(signal).catch(() => undefined);
    }
  }

  /** Connects, and answers questions until the connection ends. Returns the reason. */
  private connection(signal: AbortSignal): Promise<string> {
    const socket = this.client.webSocket(LIVE_PATH, LARGEST_LIVE_MESSAGE);
    const end = () => socket.terminate();
    signal.addEventListener('abort', end, { once: true });
    const silence = setTimeout(end, this.silentSeconds * 1000);
    let failed: Error | null = null;
    return new Promise((resolve) => {
      socket.on('error', (error) => (failed = error));
      socket.on('ping', () => {
        silence.refresh();
        // only now, because a service may accept connections that it then ends
        this.delays.reset();
        this.problems.clear();
      });
      socket.on('message', (message) => void this.answer(socket, (message as Buffer).toString()));
      socket.on('close', (code) => {
        clearTimeout(silence);
        signal.removeEventListener('abort', end);
        resolve(failed?.message ?? `code ${code}`);
      });
    });
  }

  private async answer(socket: WebSocket, message: string): Promise<void> {
    const { data: question } = LiveQuestion.safeParse(jsonOrUndefined(message));
    if (!question) {
      this.problems.warn('the service sent a message that is not a question to a target model');
      return;
    }
    const { id } = question;
    const reply = await this.replyTo(question);
    const answered = JSON.stringify({ id, reply } satisfies LiveAnswered);
    const isTooLarge = Buffer.byteLength(answered) > LARGEST_LIVE_MESSAGE;
    socket.send(isTooLarge ? JSON.stringify({ id, reply: null } satisfies LiveAnswered) : answered);
  }

  private async replyTo({ deployment, ask, instances }: LiveQuestion): Promise<DeploymentReply | null> {
    try {
      const texts = instances.map((instance) => JSON.stringify(instance));
      return (await this.served.get(deployment)?.(ask, texts)) ?? null;
    } catch (error) {
      this.logger.warn(`a target model could not be asked: ${(error as Error).message}`);
      return null;
    }
  }
}
