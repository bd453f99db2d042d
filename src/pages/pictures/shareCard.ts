import { xmlText } from '../../lib/xmlText.ts'
import { schoolThemeColours } from '../../policy/themeColours.ts'
import { hasLetters } from '../fonts.ts'
import type { PageTheme } from '../pageTheme.ts'
import { plainText } from '../plainText.ts'
import type { Drawing } from './pngRenderer.ts'

/** Width and height that the previews of social networks show without cutting. */
const cardSize = { width: 1200, height: 630 }

const margin = 80
const sizes = [96, 80, 64, 52] as const
const maxLines = 4

/**
 * Returns the picture of a link: a title and the name of the school in its colours and font. A text in a script that the font does not
 * have is left out.
 */
export function shareCard(title: string, { schoolName, theme }: { schoolName: string; theme: PageTheme }): Drawing {
  const { light } = schoolThemeColours(theme)
  const family = theme.fonts.heading
  const { size, lines } = fitted(drawable(title, 200))
  const top = Math.round((cardSize.height - 110 - (lines.length - 1) * size * 1.2) / 2 + size * 0.3)
  const text = (words: string, { x, y, height, colour }: { x: number; y: number; height: number; colour: string }): string =>
    `<text x="${x}" y="${y}" font-size="${height}" font-weight="700" fill="${colour}">${xmlText(words)}</text>`
  const name = drawable(schoolName, 48)
  return {
    family,
    svg: [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${cardSize.width}" height="${cardSize.height}">`,
      `<rect width="1200" height="630" fill="${light.primary}"/><rect y="520" width="1200" height="110" fill="${light.surface}"/>`,
      `<rect x="${margin}" y="545" width="60" height="60" rx="12" fill="${light.primary}"/>`,
      initialOf(schoolName, { x: margin + 30, y: 589, height: 40, colour: light.onPrimary }),
      name && text(name, { x: margin + 84, y: 588, height: 34, colour: light.text }),
      ...lines.map((line, index) =>
        text(line, { x: margin, y: Math.round(top + index * size * 1.2), height: size, colour: light.onPrimary }),
      ),
      '</svg>',
    ].join(''),
  }
}

/** Returns the icon of a school: the first letter of its name, in its colours. */
export function schoolIcon(schoolName: string, theme: PageTheme, size: number): Drawing {
  const { light } = schoolThemeColours(theme)
  return {
    family: theme.fonts.heading,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 180 180"><rect width="180" height="180" fill="${light.primary}"/>${initialOf(schoolName, { x: 90, y: 126, height: 100, colour: light.onPrimary })}</svg>`,
  }
}

/** Returns the first letter of a name, or a ring if the font does not have it. */
function initialOf(name: string, { x, y, height, colour }: { x: number; y: number; height: number; colour: string }): string {
  const [letter = ''] = name.match(/[\p{L}\p{N}]/u) ?? []
  if (letter === '' || !hasLetters(letter))
    return `<circle cx="${x}" cy="${y - height * 0.36}" r="${height * 0.34}" fill="none" stroke="${colour}" stroke-width="${height * 0.16}"/>`
  return `<text x="${x}" y="${y}" font-size="${height}" font-weight="700" text-anchor="middle" fill="${colour}">${xmlText(letter.toUpperCase())}</text>`
}

/** Returns a text in one line without emoji; an empty text if the fonts do not have its letters. */
function drawable(text: string, longest: number): string {
  const line = plainText(text, longest)
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\ufe0f|\u200d|\u20e3/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
  return hasLetters(line) ? line : ''
}

/** Estimates the width of a text in heights of its font: the widest font of the list has about these proportions. */
const widthOf = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (/[il.,:;'|!\s]/.test(letter) ? 0.36 : /[mwMW@%\p{Lu}]/u.test(letter) ? 0.9 : 0.64), 0)

/** Returns the largest size at which a title fits, and its lines. The rest of a longer one is cut off. */
function fitted(title: string): { size: number; lines: string[] } {
  for (const size of sizes) {
    const lines = wrapped(title, (cardSize.width - 2 * margin) / size)
    const isLast = size === sizes.at(-1)
    if (lines.length <= Math.min(maxLines, Math.floor(430 / (size * 1.2))) || isLast)
      return { size, lines: lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), `${lines[maxLines - 1]}…`] }
  }
  return { size: sizes[0], lines: [] }
}

/** Breaks a text between words, and words that are wider than a line. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((whole) => parts(whole, width))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= width) line = longer
    else {
      if (line !== '') lines.push(line)
      line = word
    }
  }
  return line === '' ? lines : [...lines, line]
}

function parts(word: string, width: number): string[] {
  const letters = [...word]
  const end = letters.findIndex((_, index) => widthOf(letters.slice(0, index + 1).join('')) > width)
  return end < 1 ? [word] : [letters.slice(0, end).join(''), ...parts(letters.slice(end).join(''), width)]
}
