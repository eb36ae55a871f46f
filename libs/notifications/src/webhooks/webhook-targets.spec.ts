import { describe, expect, it } from '@jest/globals';
import { WebhookTargets } from './webhook-targets.js';

const PORTS = [443, 80, 8443].map((port) => ({ from: port, to: port }));
const usual = new WebhookTargets({ allowedNetworks: [], ports: PORTS, http: false });
const opened = new WebhookTargets({ allowedNetworks: ['10.1.0.0/16', 'fd00:1::/64'], ports: PORTS, http: true });
const problem = (url: string, targets = usual): string | null => targets.problemOf(new URL(url));

describe('where webhooks may go', () => {
  it.each([
    'https://hooks.example.org/a?b=c',
    'https://hooks.example.org:8443',
    'https://93.184.216.34',
    'https://[2606:4700::1]/',
  ])('lets pass %s', (url) => expect(problem(url)).toBeNull());

  it.each([
    ['http://hooks.example.org', 'https'],
    ['ftp://hooks.example.org', 'https'],
    ['file:///etc/passwd', 'https'],
    ['https://ann:secret@hooks.example.org', 'password'],
    ['https://ann@hooks.example.org', 'name'],
    ['https://hooks.example.org:22', 'Port 22'],
    ['https://hooks.example.org:6379', 'Port 6379'],
  ])('refuses %s', (url, why) => expect(problem(url)).toContain(why));

  it.each([
    ['in full', 'https://127.0.0.1'],
    ['as a decimal number', 'https://2130706433'],
    ['as a hexadecimal number', 'https://0x7f000001'],
    ['as an octal number', 'https://017700000001'],
    ['with octal parts', 'https://0177.0.0.1'],
    ['with parts of several kinds', 'https://0x7f.0.1'],
    ['shortened', 'https://127.1'],
    ['with a dot behind it', 'https://127.0.0.1.'],
    ['in wide letters', 'https://１２７.０.０.１'],
    ['as IPv6', 'https://[::1]'],
    ['as IPv6 in full', 'https://[0:0:0:0:0:0:0:1]'],
    ['mapped', 'https://[::ffff:127.0.0.1]'],
    ['mapped, in hexadecimal', 'https://[::ffff:7f00:1]'],
    ['by name', 'https://localhost'],
    ['by a name with a dot behind it', 'https://localhost.'],
    ['by a name below it', 'https://db.localhost'],
  ])('refuses the machine itself %s', (_how, url) => expect(problem(url)).toContain('not public'));

  it.each([
    ['of nobody', '0.0.0.0'],
    ['of nobody', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.254'],
    ['private', '192.168.1.1'],
    ['behind a carrier', '100.64.0.1'],
    ['of the link: metadata of clouds', '169.254.169.254'],
    ['of protocols', '192.0.0.170'],
    ['of documents', '203.0.113.9'],
    ['for benchmarks', '198.18.0.1'],
    ['of many', '224.0.0.1'],
    ['of all', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['of nobody', '::'],
    ['unique local', 'fd00:ec2::254'],
    ['of the link', 'fe80::1'],
    ['of a site', 'fec0::1'],
    ['of many', 'ff02::1'],
    ['IPv4, compatible', '::10.0.0.1'],
    ['IPv4, mapped', '::ffff:10.0.0.1'],
    ['IPv4, mapped, though public', '::ffff:93.184.216.34'],
    ['IPv4, translated', '::ffff:0:10.0.0.1'],
    ['IPv4 by NAT64', '64:ff9b::10.0.0.1'],
    ['IPv4 by a local NAT64', '64:ff9b:1::10.0.0.1'],
    ['IPv4 by 6to4', '2002:a00:1::1'],
    ['IPv4 by Teredo', '2001:0:a00:1::1'],
    ['of documents', '2001:db8::1'],
    ['of nobody yet', '4000::1'],
    ['no address', 'hooks.example.org'],
  ])('refuses an address %s: %s', (_kind, address) => expect(usual.allows(address)).toBe(false));

  it('lets the operator allow networks, ports and http', () => {
    expect(opened.allows('10.1.2.3')).toBe(true);
    expect(opened.allows('fd00:1::5')).toBe(true);
    expect(opened.allows('10.2.0.1')).toBe(false);
    expect(opened.allows('::ffff:10.1.2.3')).toBe(false);
    expect(opened.allows('127.0.0.1')).toBe(false);
    expect(problem('http://10.1.2.3', opened)).toBeNull();
    expect(problem('http://10.2.0.1', opened)).toContain('not public');
    expect(problem('gopher://10.1.2.3', opened)).toContain('https:// or http://');
    const wide = new WebhookTargets({ allowedNetworks: [], ports: [{ from: 9000, to: 9999 }], http: false });
    expect(problem('https://hooks.example.org:9443', wide)).toBeNull();
    expect(problem('https://hooks.example.org', wide)).toContain('Port 443');
  });
});
