import { DomainError } from '@assay/kernel';
import { errors, jwtVerify, SignJWT } from 'jose';

const ALGORITHM = 'HS256';

/** Signs link tokens, so that nobody can forge one (JWT, RFC 7519). */
export class CrowdSigner {
  /** @param key a secret of this installation, at least 32 bytes */
  constructor(private readonly key: Uint8Array) {}

  /** Returns the signed token of a link. Deterministic. */
  async sign(linkId: string, expiresAt: Date): Promise<string> {
    return new SignJWT({ jti: linkId })
      .setProtectedHeader({ alg: ALGORITHM })
      .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
      .sign(this.key);
  }

  /**
   * Returns the ID of the link that a token was signed for. Accepts expired tokens.
   * @throws DomainError `invalid_link`
   */
  async linkOf(signed: string): Promise<string> {
    try {
      // the expiry is checked in the database
      const { payload } = await jwtVerify(signed, this.key, { algorithms: [ALGORITHM], currentDate: new Date(0) });
      if (payload.jti !== undefined) return payload.jti;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
    throw new DomainError(
      'forbidden',
      'invalid_link',
      'This link is invalid or incomplete. Open it exactly as the platform shows it.',
    );
  }
}
