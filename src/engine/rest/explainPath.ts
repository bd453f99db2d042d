import type { Context } from 'koa'
import { Problem } from '../../base/problem.ts'
import { nearest } from '../../base/text/nearest.ts'
import { apiPath, type Operation } from '../declare/operations.ts'

export interface PathExplanation {
  /** Names what is there instead, or the path that is probably meant. */
  missing: string
  /** Says what the school does elsewhere, if the path is about that. */
  notInApi: string | undefined
}

export type ExplainPath = (path: string) => PathExplanation

const segmentsOf = (path: string): string[] => path.slice(apiPath.length + 1).split('/')

export function createPathGuide(operations: readonly Operation[]): ExplainPath {
  const templates = operations
    .map(({ path, resource }) => ({ segments: segmentsOf(path), resource }))
    .toSorted((one, other) => other.segments.length - one.segments.length)
  const byRoot = Map.groupBy(templates, ({ segments: [root = ''] }) => root)
  const roots = [...new Set(operations.map(({ path }) => segmentsOf(path)[0] ?? ''))]
  const elsewhere = [...new Set(operations.flatMap(({ resource }) => resource.notInApi ?? []))]
  return (path) => {
    const segments = segmentsOf(path)
    const [root = ''] = segments
    const begins = (template: readonly string[]): boolean =>
      template.length <= segments.length && template.every((part, index) => part.startsWith('{') || part === segments[index])
    const resource = byRoot.get(root)?.find((one) => begins(one.segments))?.resource
    if (resource) return { missing: `/docs/${resource.name}.md lists its operations.`, notInApi: resource.notInApi }
    const meant = meantRoot(root, roots)
    const isAbout = (sentence: string): boolean =>
      root.length > 3 && sentence.includes(root) && new RegExp(`\\b${RegExp.escape(root)}\\b`).test(sentence)
    return {
      missing: meant === undefined ? '/api.md lists every operation.' : `Did you mean ${apiPath}/${meant}?`,
      notInApi: elsewhere.find(isAbout),
    }
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

/** Returns the error of a path that no operation has. */
export function unknownPath(path: string, explain: ExplainPath): Problem {
  const { missing, notInApi } = explain(path)
  return new Problem('not_found', { description: `${path.slice(0, 100)} does not exist. ${notInApi ?? missing}` })
}

/** Rejects requests without a route: an unknown URL or an unsupported method. It reveals no rows, so it requires no token. */
export function refuse(ctx: Context, methods: ReadonlySet<string>, explain: ExplainPath): void {
  if (methods.size === 0) throw unknownPath(ctx.path, explain)
  const allowed = [...methods, 'OPTIONS'].join(', ')
  ctx.set('Allow', allowed)
  if (ctx.method !== 'OPTIONS') {
    const { notInApi } = explain(ctx.path)
    const description = [`${ctx.path.slice(0, 100)} supports ${allowed}.`, ...(notInApi ? [notInApi] : [])].join(' ')
    throw new Problem('method_not_allowed', { description, headers: { Allow: allowed } })
  }
  ctx.status = 204
}
