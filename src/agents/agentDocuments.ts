import type { Context, Middleware } from 'koa'
import { freshMilliseconds, type StoredDocument, serveDocument, storeDocument } from '../base/http/document.ts'
import { allowMethods } from '../base/http/methods.ts'
import { Problem } from '../base/problem.ts'
import type { Caches } from '../base/process/caches.ts'
import type { School } from '../base/school.ts'
import type { SchoolRow } from '../school/apiRows.ts'
import { type AgentDocument, createDocumentList, type DocumentListArguments, keptMilliseconds, markdownType } from './documentList.ts'
import { documentSections } from './documentSections.ts'
import { type LegalLinks, legalLinks } from './legalLinks.ts'
import { pricingMd } from './pricingMd.ts'
import { schoolAbout } from './schoolAbout.ts'
import type { SchoolFacts } from './schoolFacts.ts'
import { type SkillFile, skillFiles } from './skillFiles.ts'

export interface AgentDocuments {
  middleware: Middleware
  /** True for the path of a document, except the parts of the sitemap. */
  isPath(path: string): boolean
  /** Addresses of a school's privacy policy and terms, a second old at most while the store answers; none before its first response. */
  legalLinks(school: School): Promise<LegalLinks>
  about(school: School): Promise<SchoolRow>
  pricing(school: School): Promise<string>
  skills(school: School): Promise<readonly SkillFile[]>
  /** Drops cached documents: the next request builds current ones. */
  clear(): void
}

export interface AgentDocumentsArguments extends DocumentListArguments {
  caches: Caches
  factsOf(school: School): SchoolFacts
  /** Returns a number that changes with every change that this process makes to the school: older documents are not served then. */
  changeOf(school: School): number
}

const maxAgeSeconds = 60
const linksMilliseconds = 1000

/** Serves the documents for agents. A document is built at most once in a few seconds for each school. */
export function createAgentDocuments({ caches, factsOf, changeOf, ...listed }: AgentDocumentsArguments): AgentDocuments {
  const documents = createDocumentList(listed)
  const documentPaths = new Set(documents.paths)
  // Many documents ask about the same addresses at the same time.
  const served = caches.create<Promise<boolean>>('served_addresses', { ttl: freshMilliseconds })
  const factsFor = (school: School): SchoolFacts => {
    const facts = factsOf(school)
    return {
      ...facts,
      isServed(path) {
        const key = `${school.id} ${changeOf(school)} ${path}`
        const found = served.get(key)
        if (found) return found
        const asked = facts.isServed(path)
        served.set(key, asked)
        asked.catch(() => served.delete(key))
        return asked
      },
    }
  }
  const kept = caches.create<Promise<StoredDocument | undefined>>('agent_documents')
  const madeFor = (school: School, key: string, { make, type, keptMilliseconds: ttl }: AgentDocument) => {
    const found = kept.get(key)
    if (found) return found
    const made = Promise.resolve(make(factsFor(school))).then((found) => {
      if (found === undefined) return undefined
      const { text, changedAt } = typeof found === 'string' ? { text: found } : found
      return storeDocument(text, { type, maxAgeSeconds, changedAt })
    })
    if (ttl === 0) return made
    kept.set(key, made, { ttl })
    made.catch(() => kept.delete(key))
    return made
  }
  const skillsOf = caches.create<Promise<readonly SkillFile[]>>('skills', { ttl: keptMilliseconds })
  const serve = async (ctx: Context, document: AgentDocument): Promise<boolean> => {
    const { school } = ctx.state
    const key = `${school.id} ${changeOf(school)} ${ctx.path} ${document.type}`
    const stored = await madeFor(school, key, document)
    if (!stored) return false
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return true
    if (document.links) ctx.set('Link', document.links(factsFor(school)))
    const { section } = ctx.query
    if (typeof section === 'string' && document.type === markdownType) {
      serveDocument(ctx, storeDocument(documentSections(stored.body.toString(), section), { type: document.type, maxAgeSeconds }))
      return true
    }
    // Together with the time for which the document has been kept, so that its content is never older than that.
    const left = document.keptMilliseconds === 0 ? freshMilliseconds : kept.getRemainingTTL(key)
    serveDocument(ctx, stored, { freshMilliseconds: Math.min(freshMilliseconds, left) })
    return true
  }
  const links = caches.create<{ value: LegalLinks; until: number }>('legal_links')
  const loading = new Map<string, Promise<LegalLinks>>()
  const loadLinks = (school: School): Promise<LegalLinks> => {
    const loaded = legalLinks(factsFor(school))
      .then((value) => {
        if (loading.get(school.id) === loaded) links.set(school.id, { value, until: performance.now() + linksMilliseconds })
        return value
      })
      .finally(() => loading.get(school.id) === loaded && loading.delete(school.id))
    loading.set(school.id, loaded)
    return loaded
  }
  /**
   * Returns the document that the client accepts at a path with several media types; undefined if it accepts the page best.
   * @throws Problem not_acceptable
   */
  const acceptedDocument = (ctx: Context): AgentDocument | undefined => {
    const choice = documents.negotiated(ctx.path)
    if (!choice) return undefined
    ctx.vary('Accept')
    const type = ctx.accepts(...choice.types)
    if (type === false) throw new Problem('not_acceptable', { description: `This URL responds with ${choice.types.join(', ')}.` })
    return choice.documentAs(String(type))
  }
  return {
    isPath: (path) => documentPaths.has(path),
    async legalLinks(school) {
      const found = links.get(school.id)
      if (found && found.until > performance.now()) return found.value
      const loaded = (loading.get(school.id) ?? loadLinks(school)).catch(() => ({}))
      // Metadata are served during an outage, too: the last known links are better than an error.
      return found ? found.value : await loaded
    },
    async middleware(ctx, next) {
      const document = documents.find(ctx.path) ?? acceptedDocument(ctx)
      if (!document || !(await serve(ctx, document))) await next()
    },
    about: (school) => schoolAbout(factsFor(school)),
    pricing: (school) => pricingMd(factsFor(school)),
    skills(school) {
      const found = skillsOf.get(school.id)
      if (found) return found
      const made = skillFiles(factsFor(school))
      skillsOf.set(school.id, made)
      made.catch(() => skillsOf.delete(school.id))
      return made
    },
    clear() {
      served.clear()
      skillsOf.clear()
      kept.clear()
      links.clear()
      loading.clear()
    },
  }
}
