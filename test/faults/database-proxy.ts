import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A connection, and the statements that it has sent since its transaction began. */
interface Conversation {
  readonly client: Socket;
  readonly server: Socket;
  asked: string;
  isDoomed: boolean;
}

interface Loss {
  /** The pattern that a statement of the transaction must match. */
  readonly statement: RegExp;
  readonly done: () => void;
}

/**
 * Simple queries in PostgreSQL's wire protocol: a type byte and a four-byte length precede the
 * text.
 */
const BEGIN = /Q\0\0..begin/is;
const COMMIT = /Q\0\0..commit\0/is;

/**
 * A proxy between the service and its PostgreSQL that can lose the response to a COMMIT that
 * PostgreSQL has executed.
 */
export class DatabaseProxy {
  private readonly conversations = new Set<Conversation>();
  private loss: Loss | null = null;

  private constructor(
    private readonly target: URL,
    private readonly listener: Server,
  ) {
    listener.on('connection', (client) => this.forward(client));
  }

  /**
   * @param url The URL of the server. Every client gets a new connection to it, so the server may
   * be restarted on the same port.
   */
  static async start(url: string): Promise<DatabaseProxy> {
    const listener = createServer();
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new DatabaseProxy(new URL(url), listener);
  }

  /** The database URL for the service. */
  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.listener.address() as AddressInfo).port);
    return url.href;
  }

  /**
   * Cuts the connection of the next transaction with such a statement after its COMMIT was
   * executed, before the client receives the confirmation.
   */
  loseNextCommit(statement: RegExp): Promise<void> {
    return new Promise((done) => (this.loss = { statement, done }));
  }

  async close(): Promise<void> {
    for (const conversation of this.conversations) cut(conversation);
    this.listener.close();
    await once(this.listener, 'close');
  }

  private forward(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    const conversation: Conversation = { client, server, asked: '', isDoomed: false };
    this.conversations.add(conversation);
    const end = (): void => {
      this.conversations.delete(conversation);
      cut(conversation);
    };
    for (const socket of [client, server]) socket.setNoDelay().on('error', end).on('close', end);
    client.on('data', (bytes) => {
      this.hear(conversation, bytes.toString('latin1'));
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      // PostgreSQL's confirmation of a commit
      if (conversation.isDoomed && bytes.includes('COMMIT\0')) this.lose(conversation);
      else client.write(bytes);
    });
  }

  private hear(conversation: Conversation, text: string): void {
    if (BEGIN.test(text)) conversation.asked = '';
    conversation.asked += text;
    if (this.loss === null || !COMMIT.test(text)) return;
    conversation.isDoomed = this.loss.statement.test(conversation.asked);
  }

  private lose(conversation: Conversation): void {
    cut(conversation);
    this.loss?.done();
    this.loss = null;
  }
}

function cut({ client, server }: Conversation): void {
  client.destroy();
  server.destroy();
}
