import type { Middleware } from 'koa'
import { LRUCache } from 'lru-cache'
import { freshMilliseconds, type StoredDocument, serveDocument, storeDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import type { School } from '../policy/school.ts'
import { apiCatalog, catalogLinks, linksetType } from './apiCatalog.ts'
import { apiIndex } from './apiIndex.ts'
import { authMd } from './authMd.ts'
import { type LegalLinks, legalLinks } from './legalLinks.ts'
import { llmsTxt } from './llmsTxt.ts'
import { pricingMd } from './pricingMd.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'
import { type SkillFile, skillFile, skillFiles, skillIndex, skillPaths } from './skillFiles.ts'

interface AgentDocument {
  type: string
  make(facts: SchoolFacts): string | Promise<string>
  /** Value of the Link header. */
  links?(facts: SchoolFacts): string
}

const markdownType = 'text/markdown; charset=utf-8'

/** The documents by path. `apiPath` is the path of the API. */
const documentsAt = (apiPath: string): ReadonlyMap<string, AgentDocument> =>
  new Map([
    [paths.authMd, { type: markdownType, make: authMd }],
    [paths.pricingMd, { type: markdownType, make: pricingMd }],
    [paths.llmsTxt, { type: 'text/plain; charset=utf-8', make: llmsTxt }],
    [paths.apiCatalog, { type: linksetType, make: apiCatalog, links: catalogLinks }],
    [apiPath, { type: 'application/json', make: apiIndex }],
    [paths.skills, { type: 'application/json', make: skillIndex }],
    ...[...skillPaths].map(
      ([path, skill]) => [path, { type: markdownType, make: (facts) => skillFile(skill, facts) }] satisfies [string, AgentDocument],
    ),
  ])

export interface AgentDocuments {
  middleware: Middleware
  /** Addresses of a school's privacy policy and terms, a second old at most while the store answers; none before its first response. */
  legalLinks(school: School): Promise<LegalLinks>
  /** The current content of `/pricing.md`. */
  pricing(school: School): Promise<string>
  /** The skills that the school serves. */
  skills(school: School): Promise<readonly SkillFile[]>
  /** Drops cached documents: the next request builds current ones. */
  clear(): void
}

/** How long a document is served without reading the school's data again. Caches get a longer time; they revalidate by ETag. */
const keptMilliseconds = 5000
/** Documents of all schools: each takes up to 30 kB, also after its time, until another one takes its place. */
const mostKept = 200
const maxAgeSeconds = 60

/** Serves the documents for agents. A document is built at most once in a few seconds for each school. */
export function createAgentDocuments({ apiPath, factsOf }: { apiPath: string; factsOf(school: School): SchoolFacts }): AgentDocuments {
  const documents = documentsAt(apiPath)
  const kept = new LRUCache<string, Promise<StoredDocument>>({ max: mostKept, ttl: keptMilliseconds })
  const madeFor = (school: School, path: string, { make, type }: AgentDocument): Promise<StoredDocument> => {
    const key = `${school.id} ${path}`
    const found = kept.get(key)
    if (found) return found
    const made = Promise.resolve(make(factsOf(school))).then((text) => storeDocument(text, { type, maxAgeSeconds }))
    kept.set(key, made)
    made.catch(() => kept.delete(key))
    return made
  }
  // Few, because each is as large as all documents together.
  const skillsOf = new LRUCache<string, Promise<readonly SkillFile[]>>({ max: 100, ttl: keptMilliseconds })
  const links = new LRUCache<string, LegalLinks, School>({
    max: 5000,
    ttl: 1000,
    // Metadata are served during an outage, too: the last known links are better than an error.
    allowStale: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: (_id, _stale, { context }) => legalLinks(factsOf(context)),
  })
  return {
    async legalLinks(school) {
      return (await links.fetch(school.id, { context: school }).catch(() => undefined)) ?? {}
    },
    async middleware(ctx, next) {
      const document = documents.get(ctx.path)
      if (!document) return next()
      if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
      const { school } = ctx.state
      const stored = await madeFor(school, ctx.path, document)
      if (document.links) ctx.set('Link', document.links(factsOf(school)))
      // Together with the time for which the document has been kept, so that its content is never older than that.
      serveDocument(ctx, stored, { freshMilliseconds: Math.min(freshMilliseconds, kept.getRemainingTTL(`${school.id} ${ctx.path}`)) })
    },
    pricing: (school) => pricingMd(factsOf(school)),
    skills(school) {
      const found = skillsOf.get(school.id)
      if (found) return found
      const made = skillFiles(factsOf(school))
      skillsOf.set(school.id, made)
      made.catch(() => skillsOf.delete(school.id))
      return made
    },
    clear() {
      skillsOf.clear()
      kept.clear()
      links.clear()
    },
  }
}
