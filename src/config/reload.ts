import { isDeepStrictEqual } from 'node:util'
import type { Config } from './load.ts'

export interface ReloadVerdict {
  /** Changes that take effect while running, as dotted paths. */
  reloadable: string[]
  needsRestart: string[]
}

/** Says which changes of the configuration can be taken over while running, and which cannot. */
export function compareForReload(before: Config, after: Config): ReloadVerdict {
  const changed = [...changes(bySlug(before), bySlug(after))]
  return { reloadable: changed.filter((change) => !isFixed(change)).map(nameOf), needsRestart: changed.filter(isFixed).map(nameOf) }
}

interface Change {
  path: string[]
  kind: 'added' | 'removed' | 'changed'
}

// What is built once at start: the listeners and everything in front of them, and the engine of each issuer.
function isFixed({ path: [file, , key], kind }: Change): boolean {
  if (file === 'server') return true
  return file === 'schools' && (key === 'issuer' || (key === undefined && kind === 'removed'))
}

const nameOf = ({ path, kind }: Change): string =>
  path.length === 2 && path[0] === 'schools' ? `${path.join('.')} (${kind})` : path.join('.')

const bySlug = (config: Config): Record<string, unknown> => ({
  ...config,
  schools: Object.fromEntries(config.schools.map(({ slug, ...school }) => [slug, school])),
})

function* changes(before: unknown, after: unknown, path: string[] = []): Generator<Change> {
  if (!isMapping(before) || !isMapping(after)) {
    if (!isDeepStrictEqual(before, after))
      yield { path, kind: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed' }
    return
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) yield* changes(before[key], after[key], [...path, key])
}

const isMapping = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
