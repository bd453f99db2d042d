import type { Resource } from './resource.ts'

/** `display_name` for readers: `display name`. */
export const words = (name: string): string => name.replaceAll('_', ' ')

/** `a course`, `an event`. */
export const article = (object: string): string => `${/^[aeio]/.test(object) ? 'an' : 'a'} ${words(object)}`

/** `one course`; of a singleton `the school`. */
export const the = ({ object, isSingleton }: Resource): string => `${isSingleton ? 'the' : 'one'} ${words(object)}`

/** What names of operations call one row: `Course`. */
export const one = ({ called }: Resource): string => pascalCase(called.one)

/** What names of operations call all rows: `Courses`. */
export const many = ({ called }: Resource): string => pascalCase(called.many)

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, email: string) => email.toUpperCase())

/** `revisions/{n}/restore` names what it does last: `restoreRevisions`. */
export const verbName = (verb: string): string => {
  const [last = '', ...before] = verb
    .split('/')
    .filter((segment) => !segment.startsWith('{'))
    .reverse()
  return camelCase(last) + before.reverse().map(pascalCase).join('')
}

export const pascalCase = (name: string): string => camelCase(`_${name.replaceAll(/[/-]/g, '_').replaceAll(/[{}]/g, '')}`)
