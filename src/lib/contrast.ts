/** The minimum contrast of text and its background: WCAG 2.2 success criterion 1.4.3. */
export const leastContrast = 4.5

/** Returns the contrast ratio of two colours of the form `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export function contrastRatio(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((left, right) => left - right) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

/** Returns the relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255)) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const linear = (channel: number): number => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)
