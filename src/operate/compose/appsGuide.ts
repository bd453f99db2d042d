import type { Middleware } from 'koa'
import { appsMd } from '../../agents/appsMd.ts'
import { serveAppsGuide } from '../../pages/serveAppsGuide.ts'
import { registrationRules } from './clients.ts'
import { createDocumentRules } from './documentRules.ts'
import type { Foundation } from './foundation.ts'
import { schoolConfigOf } from './runtime.ts'

export function createAppsGuide(foundation: Foundation): Middleware {
  const { runtime, pageContext } = foundation
  const documents = createDocumentRules(foundation)
  return serveAppsGuide({
    pageContext,
    docsUrl: (school) => schoolConfigOf(runtime, school).docs_url,
    async rulesOf(school) {
      const { oauth } = runtime.config
      const { docs_url: docsUrl, integrations } = schoolConfigOf(runtime, school)
      return {
        registration: registrationRules(oauth, { docsUrl, issuer: school.issuer }),
        documents: await documents.rulesOf(school),
        offeredIds: documents.offeredIds(),
        integrations: integrations.filter(({ enabled }) => enabled),
      }
    },
    renderMarkdown: appsMd,
  })
}
