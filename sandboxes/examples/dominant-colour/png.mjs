// Reads a PNG with Node alone: 8 bits per sample, not interlaced, any colour type (PNG
// specification, 3rd edition).
import { inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples per pixel, by colour type. */
const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The most bytes of pixels, so that a small file cannot fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Decodes a PNG. `pixel` returns red, green, blue and alpha, each 0 to 255.
 * @returns {{ width: number, height: number, pixel(x: number, y: number): [number, number, number,
 * number] }}
 */
export function readPng(bytes) {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) throw new TypeError('the image is not a PNG');
  const chunks = chunksOf(bytes);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header?.length !== 13) throw new TypeError('the PNG has no header');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, colour, , , interlaced] = header.subarray(8);
  const samples = SAMPLES[colour];
  if (depth !== 8 || interlaced !== 0 || samples === undefined) {
    throw new TypeError('the PNG is interlaced, or has not 8 bits a sample');
  }
  const stride = width * samples;
  if (stride * height > MAX_BYTES || stride * height === 0) throw new TypeError('the PNG is empty, or too large');

  const lines = unfiltered(inflated(chunks, (stride + 1) * height), { stride, height, samples });
  const palette = chunks.find(({ type }) => type === 'PLTE')?.data;
  if (colour === 3 && palette === undefined) throw new TypeError('the PNG has no palette');
  return {
    width,
    height,
    pixel(x, y) {
      const [a, b, c, d] = lines.subarray(y * stride + x * samples, y * stride + (x + 1) * samples);
      if (colour === 3) return [...palette.subarray(a * 3, a * 3 + 3), 255];
      if (samples < 3) return [a, a, a, b ?? 255];
      return [a, b, c, d ?? 255];
    },
  };
}

function chunksOf(bytes) {
  const chunks = [];
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function inflated(chunks, size) {
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  try {
    const lines = inflateSync(packed, { maxOutputLength: size });
    if (lines.length === size) return lines;
  } catch {
    // reported below
  }
  throw new TypeError('the PNG is broken');
}

/**
 * Undoes the filters. The first byte of each line names the filter, which predicts a byte from
 * those to the left and above.
 */
function unfiltered(filtered, { stride, height, samples }) {
  const lines = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x < samples ? 0 : lines[y * stride + x - samples];
      const above = y === 0 ? 0 : lines[(y - 1) * stride + x];
      const corner = x < samples || y === 0 ? 0 : lines[(y - 1) * stride + x - samples];
      lines[y * stride + x] = filtered[y * (stride + 1) + 1 + x] + predicted(filter, left, above, corner);
    }
  }
  return lines;
}

function predicted(filter, left, above, corner) {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) throw new TypeError('the PNG is broken');
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((each) => Math.abs(left + above - corner - each));
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
