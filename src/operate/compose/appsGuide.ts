import type { Middleware } from 'koa'
import { appsMd } from '../../agents/appsMd.ts'
import { serveAppsGuide } from '../../pages/serveAppsGuide.ts'
import { documentRules, registrationRules } from './clients.ts'
import type { Foundation } from './foundation.ts'
import { schoolConfigOf } from './runtime.ts'

export function createAppsGuide({ runtime, pageContext }: Foundation): Middleware {
  return serveAppsGuide({
    pageContext,
    docsUrl: (school) => schoolConfigOf(runtime, school).docs_url,
    rulesOf(school) {
      const { oauth } = runtime.config
      const { docs_url: docsUrl, integrations } = schoolConfigOf(runtime, school)
      return {
        registration: registrationRules(oauth, { docsUrl, issuer: school.issuer }),
        documents: documentRules(oauth),
        integrations: integrations.filter(({ enabled }) => enabled),
      }
    },
    renderMarkdown: appsMd,
  })
}
