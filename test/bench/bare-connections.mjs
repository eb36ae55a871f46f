// A minimal HTTP/1.1 client for load tests. The client shares its cores with the service under
// test, and Node's own client costs more than a server's response.
import { connect } from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
/** The read buffer of all connections. Each read is processed before the next one starts. */
const room = Buffer.allocUnsafe(2 ** 18);

/**
 * A pool of persistent connections to one server, with one request at a time on each. Requests
 * without a free connection wait in first-in, first-out order.
 */
export class BareConnections {
  #idle = [];
  #waiting = [];
  #open = 0;

  /** @param most The maximum number of open connections. */
  constructor({ hostname, port }, most) {
    this.server = { host: hostname, port: Number(port || 80) };
    this.most = most;
  }

  /**
   * Sends a request.
   * @param done Called when the response is complete, with the status (or an error code) and the
   * length of the body in bytes.
   */
  send(request, done) {
    const free = this.#idle.pop() ?? (this.#open < this.most ? this.#connection() : undefined);
    if (free) free.send(request, done);
    else this.#waiting.push([request, done]);
  }

  #connection() {
    this.#open++;
    return new Connection(this.server, {
      free: (connection) => {
        const next = this.#waiting.shift();
        if (next) connection.send(...next);
        else this.#idle.push(connection);
      },
      closed: (connection) => {
        this.#open--;
        this.#idle = this.#idle.filter((each) => each !== connection);
        const next = this.#waiting.shift();
        if (next) this.send(...next);
      },
    });
  }
}

class Connection {
  #socket;
  #tell;
  /** The callback of the current request; undefined if there is none. */
  #done;
  /** The part of an incomplete head that has arrived. */
  #begun = Buffer.alloc(0);
  #status = 0;
  #length = 0;
  /** The bytes of the body still to come; null while the head is incomplete. */
  #left = null;

  constructor(server, tell) {
    this.#tell = tell;
    const callback = (count, buffer) => {
      this.#read(buffer.subarray(0, count));
      return true;
    };
    this.#socket = connect({ ...server, noDelay: true, onread: { buffer: room, callback } });
    this.#socket.on('error', ({ code }) => this.#end(code));
    this.#socket.on('close', () => {
      this.#end('closed');
      tell.closed(this);
    });
  }

  send(request, done) {
    this.#done = done;
    this.#socket.write(request, 'latin1');
  }

  #read(chunk) {
    const body = this.#left === null ? this.#afterHead(chunk) : chunk;
    if (this.#left === null) return;
    this.#left -= body.length;
    if (this.#left > 0) return;
    const isWhole = this.#left === 0;
    this.#left = null;
    // a body without a content length is not supported
    if (!isWhole) this.#socket.destroy(Object.assign(new Error(), { code: 'unreadable' }));
    else {
      this.#end(this.#status);
      this.#tell.free(this);
    }
  }

  #afterHead(chunk) {
    const all = this.#begun.length > 0 ? Buffer.concat([this.#begun, chunk]) : chunk;
    const end = all.indexOf(END_OF_HEAD);
    if (end === -1) {
      this.#begun = Buffer.from(all);
      return chunk;
    }
    this.#begun = Buffer.alloc(0);
    const head = all.latin1Slice(0, end);
    this.#status = Number(head.slice(9, 12));
    const hasBody = this.#status !== 204 && this.#status !== 304;
    this.#length = hasBody ? Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? -1) : 0;
    this.#left = this.#length;
    return all.subarray(end + END_OF_HEAD.length);
  }

  #end(status) {
    const done = this.#done;
    this.#done = undefined;
    done?.(status, this.#length);
  }
}
