import { accountPaths } from '../base/accountPaths.ts'
import { appsPath } from '../identity/apps/apps.ts'
import { documentLink, type PageLink } from './documentLink.ts'
import { type Frame, frame } from './frame.ts'
import type { PageContext } from './pageContext.ts'
import { plainText } from './plainText.ts'
import { pagesInMenu, type SiteChrome } from './site/siteChrome.ts'
import { siteLists } from './site/siteView.ts'
import type { Views } from './templates.ts'

export interface HomePage extends Frame {
  heading: string
  tagline: string | undefined
  sections: HomeSection[]
}

interface HomeSection {
  id: string
  heading: string
  explanation: string
  links: PageLink[]
}

export interface HomeFacts {
  tagline: string | null
  /** The content of the school's public pages; undefined if another site shows them. */
  site?: SiteChrome | undefined
}

export function homePage(views: Views, pageContext: PageContext, { tagline, site }: HomeFacts): HomePage {
  const { texts, schoolName, legalLinks } = pageContext
  const pages = site ? [...siteLists(site, texts), ...pagesInMenu(site)] : []
  return {
    ...frame(views, pageContext, texts.text('home.title')),
    isIndexed: true,
    // A section of this page has them.
    legalLinks: [],
    heading: schoolName,
    tagline: tagline ? plainText(tagline, 200) : undefined,
    sections: [
      ...(pages.length > 0
        ? [
            {
              id: 'site',
              heading: texts.text('site.home_heading'),
              explanation: texts.text('site.home_explanation', { school: schoolName }),
              links: pages,
            },
          ]
        : []),
      {
        id: 'account',
        heading: texts.text('home.account'),
        explanation: texts.text('home.account_explanation', { school: schoolName }),
        links: [
          { href: accountPaths.signIn, label: texts.text('home.sign_in') },
          { href: accountPaths.apps, label: texts.text('home.connected_apps') },
        ],
      },
      {
        id: 'documents',
        heading: texts.text('home.documents'),
        explanation: texts.text('home.documents_explanation'),
        links: [
          { href: appsPath, label: texts.text('home.apps') },
          documentLink(texts, '/auth.md', 'home.get_a_token'),
          documentLink(texts, '/api.md', 'home.api_map'),
          documentLink(texts, '/docs', 'home.reference'),
          documentLink(texts, '/docs/errors', 'home.errors'),
          documentLink(texts, '/pricing.md', 'home.pricing'),
        ],
      },
      {
        id: 'programs',
        heading: texts.text('home.programs'),
        explanation: texts.text('home.programs_explanation'),
        links: [
          documentLink(texts, '/llms.txt', 'home.index'),
          documentLink(texts, '/.well-known/agent-skills/index.json', 'home.skills'),
          documentLink(texts, '/mcp/server-card', 'home.mcp'),
          documentLink(texts, '/.well-known/ai-catalog.json', 'home.ai_catalog'),
          documentLink(texts, '/.well-known/api-catalog', 'home.api_catalog'),
        ],
      },
      ...(legalLinks.length > 0
        ? [
            {
              id: 'legal',
              heading: texts.text('home.legal'),
              explanation: texts.text('home.legal_explanation', { school: schoolName }),
              links: legalLinks,
            },
          ]
        : []),
    ],
  }
}
