/** Returns the name in the characters that component keys may have, with a number if it is taken. */
export function componentName(wanted: string, taken: Readonly<Record<string, unknown>>): string {
  const name = wanted.replace(/[^\w.-]+/g, '.').replace(/\.+$/, '')
  const numbered = (number: number): string => (number === 1 ? name : `${name}${number}`)
  let number = 1
  while (Object.hasOwn(taken, numbered(number))) number += 1
  return numbered(number)
}
