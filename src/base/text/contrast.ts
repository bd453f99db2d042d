/** The minimum contrast of text and its background: WCAG 2.2 success criterion 1.4.3. */
export const leastContrast = 4.5

/** Returns the contrast ratio of two colours of the form `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export function contrastRatio(one: string, other: string): number {
  const luminances = [luminance(one), luminance(other)]
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05)
}

/** Returns the relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const channel = (at: number): number => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255)
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

const linear = (channel: number): number => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)
