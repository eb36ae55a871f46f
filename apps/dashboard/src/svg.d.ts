/** The text of an SVG file. */
declare module '*.svg' {
  const text: string;
  export default text;
}
