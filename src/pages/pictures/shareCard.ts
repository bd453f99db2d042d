import { xmlText } from '../../base/text/xmlText.ts'
import { schoolThemeColours } from '../../base/themeColours.ts'
import { hasLetters } from '../fonts.ts'
import type { PageTheme } from '../pageTheme.ts'
import { plainText } from '../plainText.ts'
import type { Drawing } from './pngRenderer.ts'

/** Width and height that the previews of social networks show without cutting. */
const cardSize = { width: 1200, height: 630 }

const margin = 80
const sizes = [96, 80, 64, 52] as const
const maxLines = 4

/** The logo of a school, as its file is. */
export interface CardLogo {
  content: Buffer
  contentType: string
  width: number
  height: number
  /** The background that it needs. */
  plate: string
}

export interface CardSchool {
  schoolName: string
  theme: PageTheme
  logo?: CardLogo | undefined
}

/**
 * Returns the picture of a link: a title, and the logo and name of the school in its colours and font. Without a logo, it has the first
 * letter of the name. A text in a script that the font does not have is left out.
 */
export function shareCard(title: string, { schoolName, theme, logo }: CardSchool): Drawing {
  const { light } = schoolThemeColours(theme)
  const family = theme.fonts.heading
  const { size, lines } = fitted(drawable(title, 200))
  const top = Math.round((cardSize.height - 110 - (lines.length - 1) * size * 1.2) / 2 + size * 0.3)
  const card = (mark: string, markWidth: number): string => {
    const left = margin + markWidth + 24
    const name = cut(drawable(schoolName, 48), (cardSize.width - margin - left) / nameHeight)
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${cardSize.width}" height="${cardSize.height}">`,
      `<rect width="1200" height="630" fill="${light.primary}"/><rect y="520" width="1200" height="110" fill="${light.surface}"/>`,
      mark,
      name && textAt(name, { x: left, y: 588, height: nameHeight, colour: light.text }),
      ...lines.map((line, index) =>
        textAt(line, { x: margin, y: Math.round(top + index * size * 1.2), height: size, colour: light.onPrimary }),
      ),
      '</svg>',
    ].join('')
  }
  const initial = `<rect x="${margin}" y="${markTop}" width="${markHeight}" height="${markHeight}" rx="12" fill="${light.primary}"/>${initialOf(schoolName, { x: margin + 30, y: 589, height: 40, colour: light.onPrimary })}`
  const without: Drawing = { family, svg: card(initial, markHeight) }
  if (!logo) return without
  const { image, width } = logoImage(logo, { x: margin, y: markTop })
  const plate =
    logo.plate === light.surface
      ? ''
      : `<rect x="${margin - 6}" y="${markTop - 6}" width="${width + 12}" height="${markHeight + 12}" rx="6" fill="${logo.plate}"/>`
  const alone = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${markHeight}">${logoImage(logo, { x: 0, y: 0 }).image}</svg>`
  return { family, svg: card(plate + image, width), logo: { svg: alone, without } }
}

const nameHeight = 34
const [markTop, markHeight] = [545, 60]
const longestMark = 360

/** Returns the logo as a picture of the height of the mark, or of its greatest width. The drawing reads no file for it. */
function logoImage(
  { content, contentType, width, height }: CardLogo,
  { x, y }: Pick<TextPlace, 'x' | 'y'>,
): { image: string; width: number } {
  const drawn = Math.max(1, Math.min(longestMark, Math.round((width / height) * markHeight)))
  const data = `data:${contentType};base64,${content.toString('base64')}`
  return { image: `<image x="${x}" y="${y}" width="${drawn}" height="${markHeight}" href="${data}"/>`, width: drawn }
}

interface TextPlace {
  x: number
  y: number
  height: number
  colour: string
}

const textAt = (words: string, { x, y, height, colour }: TextPlace): string =>
  `<text x="${x}" y="${y}" font-size="${height}" font-weight="700" fill="${colour}">${xmlText(words)}</text>`

/** Cuts a text off that is wider than a number of heights of its font. */
function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const letters = [...text]
  const end = letters.findIndex((_, index) => widthOf(letters.slice(0, index + 1).join('')) > width - 1)
  return `${letters.slice(0, Math.max(1, end)).join('').trimEnd()}…`
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
function initialOf(name: string, { x, y, height, colour }: TextPlace): string {
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
