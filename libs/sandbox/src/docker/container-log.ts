/**
 * Returns the end of a container's output as text.
 * @param frames the engine's stream: each piece follows a header of 8 bytes, of which the last 4
 * are its length (big endian)
 * @param bytes the most bytes of output to return
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
  // does not start within a character
  while (start < all.length && start > 0 && (all[start]! & 0xc0) === 0x80) start++;
  // PostgreSQL's text type cannot store NUL
  return all.toString('utf8', start).replaceAll('\0', '\ufffd');
}
