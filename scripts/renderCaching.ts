import { type CacheKind, cacheTable } from '../src/base/process/cacheTable.ts'
import { boundText } from '../src/operate/cli/commands/caches.ts'

/** Returns docs/caching.md: what a process keeps in memory, and what makes it stale. */
export function renderCaching(): string {
  const kinds = Object.entries<CacheKind>(cacheTable)
  const tableOf = (isState: boolean): string =>
    kinds
      .filter(([, kind]) => (kind.isState ?? false) === isState)
      .map(
        ([name, { about, key, bound, owner, emptiedBy }]) =>
          `| \`${name}\` | ${about} | ${key} | ${boundText(bound)} | ${emptiedBy} | [\`${owner}\`](../${owner}) |`,
      )
      .join('\n')
  const head = `| cache | contents | key | bound | emptied by | owner |
| --- | --- | --- | --- | --- | --- |`
  return `<!-- Printed by npm run docs from src/base/process/cacheTable.ts. -->

# Caches

Each process keeps the caches below in memory. The least recently used entries are dropped above the bound. Nothing is cached in Redis or in
PostgreSQL. Responses to people with a token are never cached.

\`schoolgate caches\` shows entries and hit rates of a running service; the metrics are \`schoolgate_cache_hits_total\`,
\`schoolgate_cache_misses_total\` and \`schoolgate_cache_entries\`. If you suspect a cache of a wrong response, start a process with
\`CACHES=off\`: it answers the same, and every request costs several times as much.

${head}
${tableOf(false)}

A new version of a fact or of content is read in the round trip that counts a request, so a change takes effect with the next request of every
process ([decision 12](decisions/0012-current-facts-in-memory.md), [decision 27](decisions/0027-responses-to-visitors-in-memory.md)).

The following caches hold data that is stored nowhere else, so \`CACHES=off\` does not affect them:

${head}
${tableOf(true)}
`
}
