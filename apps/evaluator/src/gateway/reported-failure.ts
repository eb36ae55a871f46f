import type { Failure } from '@assay/contracts/models';

/** The most characters of a message that the service stores. */
const LONGEST_MESSAGE = 4000;

/** Returns the part of a message that the service stores, without characters that no database stores. */
export const printable = (text: string): string =>
  text.slice(0, LONGEST_MESSAGE).toWellFormed().replaceAll('\0', '\ufffd');

/** Returns a failure as the service stores it. */
export const reported = ({ code, message }: Failure): Pick<Failure, 'code' | 'message'> => ({
  code,
  message: printable(message),
});
