import type { Header } from 'tar-stream';

import { imageRefused, quoted } from '../refusal.js';
import type { TarEntry } from './tar-header.js';

/** The most bytes of a path: PATH_MAX of Linux. */
export const NAME_BYTES = 4096;
const PART_BYTES = 255;
const NOBODY = 65_534;
/** IDs from here on have no user on an engine that remaps users: it cannot store their files. */
const UNMAPPED_ID = 65_536;

/**
 * Splits `name` into its folders and base name, without empty and `.` parts. Empty for the root.
 * @throws Refusal if the name contains `..` or a NUL or is too long
 */
export function nameParts(name: string): string[] {
  if (name.includes('\0')) throw imageRefused(`The name ${quoted(name)} contains a NUL.`);
  if (Buffer.byteLength(name) > NAME_BYTES) {
    throw imageRefused(`The name ${quoted(name)} has more than ${NAME_BYTES} bytes.`);
  }
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw imageRefused(`The name ${quoted(name)} contains \`..\`.`);
  if (parts.some((part) => Buffer.byteLength(part) > PART_BYTES)) {
    throw imageRefused(`The name ${quoted(name)} has a part of more than ${PART_BYTES} bytes.`);
  }
  return parts;
}

/**
 * Checks that an entry can be rewritten without a change of meaning.
 * @throws Refusal if it cannot
 */
export function checkForm(header: Header): void {
  // the types of tar-stream omit null: GNU sparse files, volume labels and other types with a
  // letter of their own
  if ((header.type as string | null) === null) {
    throw imageRefused(`${quoted(header.name)} is not a file, folder or link.`);
  }
  const isFile = header.type === 'file' || header.type === 'contiguous-file';
  if (!Number.isSafeInteger(header.size) || header.size < 0) {
    throw imageRefused(`${quoted(header.name)} has no valid size.`);
  }
  if (header.size > 0 && !isFile && header.type !== 'directory') {
    throw imageRefused(`${quoted(header.name)} has ${header.size} bytes of content but is not a file.`);
  }
  if (Object.keys(paxOf(header)).some((key) => key.startsWith('GNU.sparse.'))) {
    throw imageRefused(`${quoted(header.name)} is a sparse file. Store it as a regular file.`);
  }
}

/** The attributes of an entry that are kept besides its name, type and content. */
export function attributes(header: Header): Omit<TarEntry, 'name' | 'type'> {
  const pax = paxOf(header);
  const seconds = header.mtime.getTime() / 1000;
  return {
    size: 0,
    mode: (Number.isSafeInteger(header.mode) ? header.mode : 0) & 0o7777,
    uid: owner(pax['uid'] ?? header.uid),
    gid: owner(pax['gid'] ?? header.gid),
    modified: seconds >= 0 && seconds < 2 ** 33 ? Math.floor(seconds) : 0,
    target: '',
  };
}

/** Returns a user or group ID, or that of models in place of one that is not valid or has no mapped user. */
function owner(id: unknown): number {
  const number = Number(id);
  return Number.isInteger(number) && number >= 0 && number < UNMAPPED_ID ? number : NOBODY;
}

function paxOf(header: Header): Record<string, unknown> {
  return (header.pax ?? {}) as Record<string, unknown>;
}
