import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { decode, encode, type StringAnswer } from 'dns-packet';
import { nameResolver } from './resolve-name.js';

type Reply = readonly string[] | 'no such name' | 'silence';

/** A name server on loopback, which knows these addresses of any name. @returns its address */
async function nameServer(socket: Socket, replies: Readonly<Record<'A' | 'AAAA', Reply>>): Promise<string> {
  socket.on('message', (message, from) => {
    const { id, questions } = decode(message);
    const { name, type } = questions![0]!;
    const reply = replies[type as 'A' | 'AAAA'];
    if (reply === 'silence') return;
    const addresses = reply === 'no such name' ? [] : reply;
    const answers = addresses.map((data): StringAnswer => ({ name, type: type as 'A' | 'AAAA', ttl: 60, data }));
    const nxdomain = 3;
    const flags = reply === 'no such name' ? nxdomain : 0;
    socket.send(encode({ type: 'response', id: id!, flags, questions: questions!, answers }), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

describe('the addresses of a name', () => {
  const sockets: Socket[] = [];
  afterEach(() => sockets.splice(0).forEach((socket) => void socket.close()));

  async function resolve(
    replies: Readonly<Record<'A' | 'AAAA', Reply>>,
    { name = 'hooks.test', signal = new AbortController().signal } = {},
  ): Promise<readonly string[]> {
    const socket = createSocket('udp4');
    sockets.push(socket);
    return nameResolver([await nameServer(socket, replies)])(name, signal);
  }

  it.each<[string, Readonly<Record<'A' | 'AAAA', Reply>>, readonly string[]]>([
    ['both kinds', { A: ['127.0.0.2', '127.0.0.3'], AAAA: ['::1'] }, ['127.0.0.2', '127.0.0.3', '::1']],
    ['only the older', { A: ['127.0.0.2'], AAAA: [] }, ['127.0.0.2']],
    ['only the newer', { A: [], AAAA: ['fd00::1'] }, ['fd00::1']],
    ['one kind where of the other there is no such name', { A: 'no such name', AAAA: ['fd00::1'] }, ['fd00::1']],
  ])('are %s, the older first', async (_, replies, addresses) => {
    expect(await resolve(replies)).toEqual(addresses);
  });

  it.each<[string, Reply, string]>([
    ['there is no such name', 'no such name', 'ENOTFOUND'],
    ['it has none', [], 'ENODATA'],
  ])('are refused with what the server answered where %s', async (_, reply, code) => {
    await expect(resolve({ A: reply, AAAA: reply })).rejects.toMatchObject({ code });
  });

  it('are of what the server says, whatever the file of names has', async () => {
    const addresses = await resolve({ A: ['127.0.0.9'], AAAA: [] }, { name: 'localhost.localdomain' });

    expect(addresses).toEqual(['127.0.0.9']);
  });

  it('are waited for no longer than the caller does', async () => {
    const caller = new AbortController();
    const asked = resolve({ A: 'silence', AAAA: 'silence' }, { signal: caller.signal });
    const refused = expect(asked).rejects.toMatchObject({ code: 'ECANCELLED' });
    await once(sockets[0]!, 'message');

    caller.abort();

    await refused;
  });
});
