import type { Resource } from './resource.ts'

/** Returns a name as words: `display_name` → `display name`. The abbreviation RSVP has capitals. */
export const toWords = (name: string): string => name.replaceAll('_', ' ').replace(/\brsvp(?=s?\b)/g, 'RSVP')

/** Nouns without a plural, with the words for one. */
const counted: Readonly<Record<string, string>> = { staff: 'staff member' }

/** Returns the words for one row, without an article. */
const noun = (object: string): string => counted[object] ?? toWords(object)

/** Returns the type name with an article by its sound: `a course`, `an event`, `an upload`, `an RSVP`. */
export const withArticle = (object: string): string => `${/^(?:[aeio]|up|RSVP)/.test(noun(object)) ? 'an' : 'a'} ${noun(object)}`

/** Returns the words for one row: `one course`, or `the school` for a singleton. */
export const describeRow = ({ object, isSingleton }: Resource): string => `${isSingleton ? 'the' : 'one'} ${noun(object)}`

/** Returns the word for one row in operation ids: `Course`. */
export const singularName = ({ called }: Resource): string => pascalCase(called.one)

/** Returns the word for many rows in operation ids: `Courses`. */
export const pluralName = ({ called }: Resource): string => pascalCase(called.many)

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the part of an operation id for the end of a path, verb first: `revisions/{n}/restore` → `restoreRevisions`. */
export const verbName = (verb: string): string => {
  const [last = '', ...before] = verb
    .split('/')
    .filter((segment) => !segment.startsWith('{'))
    .reverse()
  return camelCase(last) + before.reverse().map(pascalCase).join('')
}

export const pascalCase = (name: string): string => camelCase(`_${name.replaceAll(/[/-]/g, '_').replaceAll(/[{}]/g, '')}`)
