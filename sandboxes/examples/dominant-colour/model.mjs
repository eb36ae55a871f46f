// Answers questions about an image with its most frequent colour, except questions about its size
// and yes-or-no questions.
import { readPng } from './png.mjs';

/** The most pixels that are sampled per row and per column. */
const GRID = 128;

/**
 * @returns {(instance: {
 *   image: { b64: string, mediaType: string },
 *   question: string,
 * }) => string}
 */
export function load() {
  return ({ image, question } = {}) => {
    if (typeof image?.b64 !== 'string') throw new TypeError('there is no image in "image": {"b64", "mediaType"}');
    if (typeof question !== 'string') throw new TypeError('there is no text in "question"');
    const png = readPng(Buffer.from(image.b64, 'base64'));
    const asked = question.trim().toLowerCase();
    const colour = dominantColour(png);
    if (/\bhow (?:wide|broad)\b/.test(asked)) return `${png.width} pixels`;
    if (/\bhow (?:tall|high)\b/.test(asked)) return `${png.height} pixels`;
    if (/^(?:is|are|was|were|does|do|has|have|can)\b/.test(asked)) return asked.includes(colour) ? 'yes' : 'no';
    return colour;
  };
}

/** Returns the most frequent colour name of the pixels, without transparent ones. */
export function dominantColour({ width, height, pixel }) {
  const counts = new Map();
  for (let y = 0; y < height; y += Math.ceil(height / GRID)) {
    for (let x = 0; x < width; x += Math.ceil(width / GRID)) {
      const [red, green, blue, alpha] = pixel(x, y);
      if (alpha < 128) continue;
      const name = colourName(red, green, blue);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'transparent';
}

/**
 * Names a colour by its hue if it is saturated enough, otherwise by lightness. Components are 0 to
 * 255.
 */
function colourName(red, green, blue) {
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const lightness = (high + low) / 510;
  if (high < 40) return 'black';
  if (high - low < 30) return lightness > 0.9 ? 'white' : 'grey';
  const hue = hueOf(red, green, blue, high, high - low);
  if (hue < 15 || hue >= 345) return lightness > 0.75 ? 'pink' : 'red';
  if (hue < 45) return lightness < 0.4 ? 'brown' : 'orange';
  if (hue < 70) return 'yellow';
  if (hue < 165) return 'green';
  if (hue < 255) return 'blue';
  return hue < 290 ? 'purple' : 'pink';
}

/** Returns the hue in degrees, 0 to 360. */
function hueOf(red, green, blue, high, spread) {
  if (high === red) return (((green - blue) / spread) * 60 + 360) % 360;
  return high === green ? ((blue - red) / spread) * 60 + 120 : ((red - green) / spread) * 60 + 240;
}
