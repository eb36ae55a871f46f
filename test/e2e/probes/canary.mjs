// Listens for forbidden connections in the network in which it is started. Sends its addresses to
// its parent. Answers every message with what has arrived since the last one.
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

const inside = Object.values(networkInterfaces()).flat();
// a link-local address could not be named without its interface
const hosts = inside.filter(({ scopeid }) => !scopeid).map(({ address }) => address);
const families = [
  { isOf: (host) => !host.includes(':'), everywhere: '0.0.0.0', datagrams: { type: 'udp4' }, only: {} },
  { isOf: (host) => host.includes(':'), everywhere: '::', datagrams: { type: 'udp6' }, only: { ipv6Only: true } },
].filter(({ isOf }) => hosts.some(isOf));

const name = `assay-canary-${randomBytes(6).toString('hex')}`;
const abstract = listener(() => 'abstract Unix socket').listen(`\0${name}`);
const sockets = families.map(({ everywhere, datagrams, only }) => ({
  tcp: listener(({ localAddress, remoteAddress }) => `tcp at ${localAddress} from ${remoteAddress}`).listen({
    port: 0,
    host: everywhere,
    ...only,
  }),
  udp: createSocket({ ...datagrams, ...only })
    .on('message', (_, from) => heard.push(`udp from ${from.address}`))
    .bind(0, everywhere),
}));
await Promise.all([abstract, ...sockets.flatMap(Object.values)].map((each) => once(each, 'listening')));

const addresses = families.flatMap(({ isOf }, index) =>
  hosts
    .filter(isOf)
    .flatMap((host) =>
      Object.entries(sockets[index]).map(([kind, socket]) => `${kind}:${host}:${socket.address().port}`),
    ),
);
process.on('message', () => {
  process.send(heard);
  heard = [];
});
process.on('disconnect', () => process.exit());
process.send({ addresses: [...addresses, `abstract:${name}`], tcp: sockets[0].tcp.address().port });
