// Listens in the network in which it is started, for what must never come. Its parent is told where; to any message it answers what it has heard
// since the last.
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

let heard = [];
const listener = (what) =>
  createServer((socket) => {
    heard.push(what(socket));
    socket.on('error', () => undefined).destroy();
  });

const name = `assay-canary-${randomBytes(6).toString('hex')}`;
const tcp = listener(({ localAddress, remoteAddress }) => `tcp at ${localAddress} from ${remoteAddress}`);
const abstract = listener(() => 'abstract Unix socket');
const udp = createSocket('udp4').on('message', (_, from) => heard.push(`udp from ${from.address}`));
tcp.listen(0, '0.0.0.0');
abstract.listen(`\0${name}`);
udp.bind(0, '0.0.0.0');
await Promise.all([tcp, abstract, udp].map((each) => once(each, 'listening')));

const hosts = Object.values(networkInterfaces())
  .flat()
  .filter(({ family }) => family === 'IPv4')
  .map(({ address }) => address);
process.on('message', () => {
  process.send(heard);
  heard = [];
});
process.on('disconnect', () => process.exit());
process.send({ hosts, tcp: tcp.address().port, udp: udp.address().port, abstract: name });
