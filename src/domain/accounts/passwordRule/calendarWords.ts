import { languages } from '../../../lib/languages.ts'

const seasons = 'spring summer autumn fall winter frühling fruehling frühjahr fruehjahr sommer herbst winter'.split(' ')

const days = Array.from({ length: 12 }, (_month, month) => Array.from({ length: 7 }, (_day, day) => new Date(2024, month, day + 1))).flat()

/** Seasons, months and weekdays in every language of the pages, in lower case, with and without umlauts. */
export const calendarWords: ReadonlySet<string> = new Set([
  ...seasons,
  ...languages.flatMap((language) =>
    (['month', 'weekday'] as const).flatMap((part) => {
      const format = new Intl.DateTimeFormat(language, { [part]: 'long' })
      return days.map((day) => format.format(day).toLowerCase()).flatMap((word) => [word, word.replaceAll('ä', 'ae')])
    }),
  ),
])
