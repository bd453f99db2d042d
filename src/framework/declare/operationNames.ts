import type { Resource } from './resource.ts'

/** Returns a name as words: `display_name` → `display name`. */
export const words = (name: string): string => name.replaceAll('_', ' ')

/** Returns the type name with an article: `a course`, `an event`. */
export const article = (object: string): string => `${/^[aeio]/.test(object) ? 'an' : 'a'} ${words(object)}`

/** Returns the words for one row: `one course`, or `the school` for a singleton. */
export const the = ({ object, isSingleton }: Resource): string => `${isSingleton ? 'the' : 'one'} ${words(object)}`

/** Returns the word for one row in operation ids: `Course`. */
export const one = ({ called }: Resource): string => pascalCase(called.one)

/** Returns the word for many rows in operation ids: `Courses`. */
export const many = ({ called }: Resource): string => pascalCase(called.many)

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
