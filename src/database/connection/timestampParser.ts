/** The text of a time in a session whose time zone is UTC, in the years 1000 to 9999. */
const common = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/

/**
 * Returns a parser of `timestamptz` in its text form, which takes a fifth of the time of the usual one. Texts of other forms, such as
 * `infinity`, go to `otherwise`.
 */
export function timestampParser(otherwise: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    if (!common.test(text)) return otherwise(text)
    const digits = (index: number): number => (text.charCodeAt(index) - 48) * 10 + text.charCodeAt(index + 1) - 48
    const year = digits(0) * 100 + digits(2)
    return new Date(Date.UTC(year, digits(5) - 1, digits(8), digits(11), digits(14), digits(17), millisecondsOf(text)))
  }
}

/** Returns the whole milliseconds of the fraction that begins at the 20th character, if there is one. */
function millisecondsOf(text: string): number {
  const end = text.length - 3
  let milliseconds = 0
  for (let index = 20; index < 23; index += 1) milliseconds = milliseconds * 10 + (index < end ? text.charCodeAt(index) - 48 : 0)
  return milliseconds
}
