import { DomainError } from '@assay/kernel';
import { errors, jwtVerify, SignJWT } from 'jose';

const ALGORITHM = 'HS256';

/** Signs links, so that nobody makes up one of their own (JWT, RFC 7519). */
export class CrowdSigner {
  /** @param key a secret of this installation, at least 32 bytes */
  constructor(private readonly key: Uint8Array) {}

  /** The same link is signed the same each time. */
  async sign(linkId: string, expiresAt: Date): Promise<string> {
    return new SignJWT({ jti: linkId })
      .setProtectedHeader({ alg: ALGORITHM })
      .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
      .sign(this.key);
  }

  /**
   * The id of the link that `signed` is, however old.
   * @throws DomainError `invalid_link`
   */
  async linkOf(signed: string): Promise<string> {
    try {
      // whether it has expired is asked of its row
      const { payload } = await jwtVerify(signed, this.key, { algorithms: [ALGORITHM], currentDate: new Date(0) });
      if (payload.jti !== undefined) return payload.jti;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
    throw new DomainError(
      'forbidden',
      'invalid_link',
      'This link is not one of this service, or a part of it is missing: open it as the platform shows it.',
    );
  }
}
