import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface WebhookTargetSettings {
  /** Networks in CIDR notation that may be reached although they are not public. */
  readonly allowedNetworks: readonly string[];
  readonly ports: readonly { readonly from: number; readonly to: number }[];
  readonly http: boolean;
}

/**
 * The routed part of IPv6 (RFC 4291, IANA). Addresses outside of it are not public, or embed an
 * IPv4 address.
 */
const ROUTED = ipaddr.IPv6.parseCIDR('2000::/3');

/** Decides where webhooks may be sent. Compares addresses as numbers, never as text. */
export class WebhookTargets {
  private readonly allowed: readonly [Address, number][];

  constructor(private readonly settings: WebhookTargetSettings) {
    this.allowed = settings.allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  }

  /**
   * Returns what is wrong with `url`, as a sentence for the user, without resolving its host name;
   * null: nothing.
   */
  problemOf(url: URL): string | null {
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.settings.http)) {
      return this.settings.http ? 'It must begin with https:// or http://.' : 'It must begin with https://.';
    }
    if (url.username !== '' || url.password !== '') {
      return 'It contains a user name or a password. Receivers identify the sender by the signature.';
    }
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    if (!this.settings.ports.some(({ from, to }) => port >= from && port <= to)) {
      return `Port ${port} is not allowed for webhooks.`;
    }
    const address = addressIn(url);
    return address !== null && !this.allows(address) ? 'Its address is not public.' : null;
  }

  /**
   * Returns whether `address` is public or allowed by the operator. False if it is not an IP
   * address.
   */
  allows(address: string): boolean {
    if (isIP(address) === 0) return false;
    const parsed = ipaddr.parse(address);
    return this.allowed.some(([network, bits]) => isIn(parsed, network, bits)) || isPublic(parsed);
  }
}

/**
 * Returns the IP address in the host of `url`, or null if the host is a name. Names of the local
 * machine count as 127.0.0.1, without a DNS query (RFC 6761).
 */
export function addressIn({ hostname }: URL): string | null {
  if (/^(?:.*\.)?localhost\.?$/.test(hostname)) return '127.0.0.1';
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? null : bare;
}

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(ROUTED));

function isIn(address: Address, network: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
}
