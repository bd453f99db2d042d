import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Context } from 'koa'
import { isKnown } from '../base/http/document.ts'
import { type FontFamily, fontFamilies, fontNames, type ThemeSettings } from '../school/settings/themes.ts'

export const fontsPath = '/assets/fonts'

type Fonts = ThemeSettings['fonts']

interface FontPackage {
  name: string
  /** The range of weights in one file, otherwise a file has one weight. */
  weights?: string
}

const packages: Readonly<Record<FontFamily, FontPackage>> = {
  atkinson_hyperlegible: { name: 'atkinson-hyperlegible' },
  fraunces: { name: 'fraunces', weights: '100 900' },
  ibm_plex_mono: { name: 'ibm-plex-mono' },
  ibm_plex_sans: { name: 'ibm-plex-sans', weights: '100 700' },
  inter: { name: 'inter', weights: '100 900' },
  karla: { name: 'karla', weights: '200 800' },
  lora: { name: 'lora', weights: '400 700' },
  merriweather: { name: 'merriweather', weights: '300 900' },
  nunito_sans: { name: 'nunito-sans', weights: '200 1000' },
  source_sans: { name: 'source-sans-3', weights: '200 900' },
  source_serif: { name: 'source-serif-4', weights: '200 900' },
  work_sans: { name: 'work-sans', weights: '100 900' },
}

/** The letters of each file: a browser loads only the files of letters that a page has. Other scripts use the fonts of the device. */
const subsets = {
  'latin-ext':
    'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+0304, U+0308, U+0329, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF',
  latin:
    'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD',
}

interface FontFile {
  /** The last part of its path, also in its package. */
  name: string
  module: string
  weight: string
  letters: string
}

function filesOf(family: FontFamily): FontFile[] {
  const { name, weights } = packages[family]
  const scope = weights === undefined ? '@fontsource' : '@fontsource-variable'
  const steps = weights === undefined ? ['400', '700'] : ['wght']
  return Object.entries(subsets).flatMap(([subset, letters]) =>
    steps.map((step) => {
      const file = `${name}-${subset}-${step}-normal.woff2`
      return { name: file, module: `${scope}/${name}/files/${file}`, weight: weights ?? step, letters }
    }),
  )
}

const files = new Map(fontNames.flatMap(filesOf).map((file) => [file.name, file]))

/** Returns the modules of the files of a family. */
export const fontModules = (family: FontFamily): string[] => filesOf(family).map(({ module }) => module)

const ranges = Object.values(subsets)
  .flatMap((letters) => letters.split(', '))
  .map((range) => {
    const [first = '', last = first] = range.slice(2).split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const
  })

/** Returns true if the files of the fonts have every letter of a text. */
export const hasLetters = (text: string): boolean =>
  Array.from(text).every((letter) =>
    ranges.some(([first, last]) => first <= Number(letter.codePointAt(0)) && Number(letter.codePointAt(0)) <= last),
  )

/** Returns the rules of the fonts of a school's pages. A font that comes late is used on the next page: replacing the fallback would move text. */
export const fontFaces = ({ heading, body }: Fonts): string =>
  [...new Set([heading, body])]
    .flatMap((family) =>
      filesOf(family).map(
        ({ name, weight, letters }) =>
          `@font-face {\n  font-family: ${firstOf(family)};\n  src: url("${fontsPath}/${name}") format("woff2");\n  font-weight: ${weight};\n  font-display: optional;\n  unicode-range: ${letters};\n}\n`,
      ),
    )
    .join('\n')

export const fontProperties = ({ heading, body }: Fonts): Record<string, string> => ({
  '--heading-font': fontFamilies[heading],
  '--body-font': fontFamilies[body],
})

const firstOf = (family: FontFamily): string => fontFamilies[family].split(',', 1)[0] ?? family

/** Serves a file of a font. Caches keep it for thirty days. */
export async function serveFont(ctx: Context): Promise<void> {
  const file = files.get(String(ctx.params.name))
  if (!file) return
  const bytes = await readFile(createRequire(import.meta.url).resolve(file.module))
  ctx.set('Cache-Control', 'public, max-age=2592000')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.etag = hash('sha256', bytes, 'base64url').slice(0, 16)
  ctx.type = 'font/woff2'
  ctx.status = 200
  if (isKnown(ctx.get('if-none-match'), ctx.response.get('ETag'))) ctx.status = 304
  else ctx.body = bytes
}
