import { code, markdownTable, paragraphs } from './documents/markdown.ts'

/** A screenshot: a page or an e-mail, what the school contains, and in which language, theme and width. */
export interface Picture {
  page: string
  school: 'demo' | 'empty'
  /** `long`: names of 80 letters without a space, of which one half is Arabic. */
  names: 'short' | 'long'
  locale: 'en' | 'de'
  theme: 'light' | 'dark'
  width: 360 | 768 | 1280
}

const desktop = { school: 'demo', names: 'short', locale: 'en', theme: 'light', width: 1280 } as const
const tablet = { ...desktop, width: 768 } as const
const phone = { ...desktop, width: 360 } as const

/** The pictures in docs/screenshots. */
export const gallery: readonly Picture[] = [
  { ...desktop, page: 'site-home' },
  { ...phone, page: 'site-home', theme: 'dark' },
  { ...tablet, page: 'site-courses', locale: 'de' },
  { ...phone, page: 'site-course' },
  { ...phone, page: 'site-course', locale: 'de', names: 'long' },
  { ...phone, page: 'school-form' },
  { ...phone, page: 'sign-in' },
  { ...desktop, page: 'consent' },
  { ...phone, page: 'consent', locale: 'de', theme: 'dark' },
  { ...desktop, page: 'learning' },
  { ...phone, page: 'learning', names: 'long' },
  { ...phone, page: 'learning-none', school: 'empty' },
  { ...tablet, page: 'learning-lesson' },
  { ...phone, page: 'learning-quiz-result', theme: 'dark' },
  { ...phone, page: 'account-membership', locale: 'de' },
  { ...tablet, page: 'account-orders', theme: 'dark' },
  { ...tablet, page: 'account-security', locale: 'de' },
  { ...phone, page: 'apps' },
  { ...desktop, page: 'school-apps' },
  { ...desktop, page: 'school-staff', names: 'long' },
  { ...tablet, page: 'school-people', theme: 'dark' },
  { ...phone, page: 'mail-receipt', locale: 'de' },
  { ...phone, page: 'mail-app_connected', theme: 'dark' },
]

/** Returns the name of the file of a picture. What differs from the demo school in English is at its end. */
export function fileOf({ page, locale, theme, width, school, names }: Picture, type: 'png' | 'jpeg'): string {
  const differences = [locale === 'en' ? [] : locale, school === 'demo' ? [] : school, names === 'short' ? [] : names].flat()
  return `${[page, theme, width, ...differences].join('-')}.${type === 'png' ? 'png' : 'jpg'}`
}

const languageNames = { en: 'English', de: 'German' } as const

/** Returns docs/screenshots/README.md. */
export function renderGallery(): string {
  const rows = gallery.map((picture) => {
    const { page, school, names, locale, theme, width } = picture
    const file = fileOf(picture, 'jpeg')
    return [`[${code(page)}](${file})`, `${width} px`, theme, languageNames[locale], school, names]
  })
  return paragraphs([
    '<!-- Printed by npm run docs from scripts/gallery.ts. -->',
    '# Screenshots',
    `\`npm run screenshots -- --gallery\` takes these pictures. Without \`--gallery\` it takes every page of the tour in \`test/browser/tour.ts\` and
every e-mail in all widths and both themes, as PNG files, which Git ignores; \`--locale de\`, \`--names long\` and \`--school empty\` choose the language,
names of 80 letters (in Arabic and in Latin script), and a school without the demo data.`,
    markdownTable(['page', 'width', 'theme', 'language', 'school', 'names'], rows),
  ])
}
