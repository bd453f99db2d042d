import { nearest } from '../../base/text/nearest.ts'
import { apiPath, type Operation } from '../declare/operations.ts'

export interface PathGuide {
  /** Says what is there instead, or which path is probably meant. */
  missing(path: string): string
  /** Says what the school does elsewhere, if the path is about that. */
  notInApi(path: string): string | undefined
}

const segmentsOf = (path: string): string[] => path.slice(apiPath.length + 1).split('/')

export function createPathGuide(operations: readonly Operation[]): PathGuide {
  const templates = operations.map(({ path, resource }) => ({ segments: segmentsOf(path), resource }))
  const roots = [...new Set(templates.map(({ segments: [root = ''] }) => root))]
  /** Returns the resource of the longest path that begins like this one. */
  const resourceAt = (path: string): Operation['resource'] | undefined => {
    const segments = segmentsOf(path)
    const begins = (template: readonly string[]): boolean =>
      template.length <= segments.length && template.every((part, index) => part.startsWith('{') || part === segments[index])
    return templates.filter((one) => begins(one.segments)).toSorted((one, other) => other.segments.length - one.segments.length)[0]
      ?.resource
  }
  const elsewhere = [...new Set(templates.flatMap(({ resource }) => resource.notInApi ?? []))]
  return {
    missing(path) {
      const resource = resourceAt(path)
      if (resource) return `/docs/${resource.name}.md lists its operations.`
      const [root = ''] = segmentsOf(path)
      const meant = meantRoot(root, roots)
      return meant === undefined ? '/api.md lists every operation.' : `Did you mean ${apiPath}/${meant}?`
    },
    notInApi(path) {
      const [root = ''] = segmentsOf(path)
      const resource = resourceAt(path)
      return resource
        ? resource.notInApi
        : elsewhere.find((sentence) => root.length > 3 && new RegExp(`\\b${RegExp.escape(root)}\\b`).test(sentence))
    },
  }
}

/** Returns the first segment that is meant: the plural of a word, one that ends with the word, or a similar one. */
function meantRoot(word: string, roots: readonly string[]): string | undefined {
  const plurals = [word, `${word}s`]
  return (
    roots.find((root) => plurals.includes(root)) ??
    roots.find((root) => plurals.some((one) => root.endsWith(`_${one}`))) ??
    nearest(word, roots)
  )
}
