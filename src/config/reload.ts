import { isDeepStrictEqual } from 'node:util'
import type { Config } from './load.ts'
import { reissue, type SchoolConfig } from './schools.ts'

export interface ReloadPlan {
  /** The configuration to serve now: the new one, with the previous values of settings that need a restart. */
  config: Config
  /** Changes that take effect now, as dotted paths. */
  reloadable: string[]
  needsRestart: string[]
}

/** Sorts the changes of a configuration into those that take effect now and those that need a restart. */
export function planReload(before: Config, after: Config): ReloadPlan {
  const known = new Set(before.schools.map(({ slug }) => slug))
  const found = new Map(after.schools.map((school) => [school.slug, school]))
  const served = before.schools.map((school) => {
    const next = found.get(school.slug)
    return next ? reissue(next, school.issuer) : school
  })
  const hosts = new Set(served.map(hostOf))
  // A served school keeps its host until the next start, so a new school with the same host has to wait.
  const added = after.schools.filter(({ slug }) => !known.has(slug))
  const postponed = new Set(added.filter((school) => hosts.has(hostOf(school))).map(({ slug }) => slug))
  const changed = [...changes(bySlug(before), bySlug(after))].filter(({ path }) => !isDerived(path, { before, after }))
  const waits = (change: Change): boolean => isFixed(change) || (change.path[0] === 'schools' && postponed.has(change.path[1] ?? ''))
  return {
    config: { ...after, server: before.server, schools: [...served, ...added.filter(({ slug }) => !postponed.has(slug))] },
    reloadable: changed.filter((change) => !waits(change)).map(nameOf),
    needsRestart: changed.filter(waits).map(nameOf),
  }
}

const hostOf = ({ issuer }: SchoolConfig): string => new URL(issuer).host

/** True if the change is a documentation URL that is derived from a changed issuer: it is not a separate change. */
function isDerived([file, slug, key]: string[], { before, after }: Record<'before' | 'after', Config>): boolean {
  if (file !== 'schools' || key !== 'docs_url') return false
  const [old, now] = [before, after].map(({ schools }) => schools.find((school) => school.slug === slug))
  return old !== undefined && now !== undefined && reissue(now, old.issuer).docs_url === old.docs_url
}

interface Change {
  path: string[]
  kind: 'added' | 'removed' | 'changed'
}

// These parts are built once at start: the listeners, everything in front of them, and the engine of each issuer.
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
