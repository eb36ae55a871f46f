import type { Header } from 'tar-stream';

import { ImageRefusal, quoted } from './image-refusal.js';
import type { TarEntry } from './tar-header.js';

/** Bytes of a path, as Linux has it. */
export const NAME_BYTES = 4096;
const PART_BYTES = 255;
const NOBODY = 65_534;

/** The folders and the base of `name`, cleaned of what is harmless; empty for the root. Throws `ImageRefusal`. */
export function nameParts(name: string): string[] {
  if (name.includes('\0')) throw new ImageRefusal('image_refused', `The name ${quoted(name)} holds a NUL.`);
  if (Buffer.byteLength(name) > NAME_BYTES) {
    throw new ImageRefusal('image_refused', `The name ${quoted(name)} has more than ${NAME_BYTES} bytes.`);
  }
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new ImageRefusal('image_refused', `The name ${quoted(name)} has a \`..\` in it.`);
  if (parts.some((part) => Buffer.byteLength(part) > PART_BYTES)) {
    throw new ImageRefusal('image_refused', `The name ${quoted(name)} has a part of more than ${PART_BYTES} bytes.`);
  }
  return parts;
}

/** Throws `ImageRefusal` for what can't be written anew as it was meant. */
export function checkForm(header: Header): void {
  // tar-stream's types leave it out: GNU's sparse files, volume labels, and whatever else has a letter of its own
  if ((header.type as string | null) === null) {
    throw new ImageRefusal('image_refused', `${quoted(header.name)} is not a file, folder or link.`);
  }
  const isFile = header.type === 'file' || header.type === 'contiguous-file';
  if (!Number.isSafeInteger(header.size) || header.size < 0) {
    throw new ImageRefusal('image_refused', `${quoted(header.name)} has no valid size.`);
  }
  if (header.size > 0 && !isFile && header.type !== 'directory') {
    throw new ImageRefusal(
      'image_refused',
      `${quoted(header.name)} has ${header.size} bytes of content but is not a file.`,
    );
  }
  if (Object.keys(paxOf(header)).some((key) => key.startsWith('GNU.sparse.'))) {
    throw new ImageRefusal('image_refused', `${quoted(header.name)} is a sparse file: write it as a plain one.`);
  }
}

/** What is kept of an entry besides its name, its type and its content. */
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

function owner(id: unknown): number {
  const number = Number(id);
  return Number.isInteger(number) && number >= 0 && number < 2 ** 32 - 1 ? number : NOBODY;
}

function paxOf(header: Header): Record<string, unknown> {
  return (header.pax ?? {}) as Record<string, unknown>;
}
