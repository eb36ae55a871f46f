/**
 * The end of a container's output as text, at most `bytes` of it. `frames` is the engine's stream: each piece behind a
 * header of 8 bytes, the last 4 of them its length (big endian).
 */
export function logText(frames: Buffer, bytes: number): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= frames.length;) {
    const end = at + 8 + frames.readUInt32BE(at + 4);
    pieces.push(frames.subarray(at + 8, end));
    at = end;
  }
  const all = Buffer.concat(pieces);
  let start = Math.max(0, all.length - bytes);
  // not in the middle of a character
  while (start < all.length && start > 0 && (all[start]! & 0xc0) === 0x80) start++;
  // PostgreSQL's text holds no NUL
  return all.toString('utf8', start).replaceAll('\0', '\ufffd');
}
