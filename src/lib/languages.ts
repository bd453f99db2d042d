/** Languages that pages and letters are written in; what is asked for in no other way is answered in the first. */
export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

const most = 20

/**
 * The first of the wanted languages that there is, each tried with ever fewer subtags (RFC 4647 section 3.4): de-AT is answered with de.
 * What was sent by a stranger is compared and nothing else.
 */
export function lookUpLanguage(wanted: readonly unknown[], available: readonly Language[]): Language | undefined {
  for (const tag of wanted.slice(0, most)) {
    if (typeof tag !== 'string' || tag.length > 100) continue
    const subtags = tag.toLowerCase().split('-')
    for (let length = subtags.length; length > 0; length--) {
      const range = subtags.slice(0, length).join('-')
      const found = available.find((language) => language.toLowerCase() === range)
      if (found) return found
    }
  }
  return undefined
}
