import { accountPaths } from '../policy/accountPaths.ts'
import { appsPath } from '../policy/apps.ts'
import type { PageContext } from './pageContext.ts'
import { plainText } from './plainText.ts'
import { type Frame, frame, type Views } from './templates.ts'

/** The page at the base address of the school. */
export interface HomePage extends Frame {
  heading: string
  tagline: string | undefined
  sections: HomeSection[]
}

interface HomeSection {
  id: string
  heading: string
  explanation: string
  links: { href: string; label: string }[]
}

/** The tagline of the school, and the URLs of its privacy policy and terms. */
export interface HomeFacts {
  tagline: string | null
  privacy?: string | undefined
  terms?: string | undefined
}

/** Builds the page. Pure. */
export function homePage(views: Views, pageContext: PageContext, { tagline, privacy, terms }: HomeFacts): HomePage {
  const { texts, schoolName } = pageContext
  const legal = [
    ...(privacy === undefined ? [] : [{ href: privacy, label: texts.text('home.privacy') }]),
    ...(terms === undefined ? [] : [{ href: terms, label: texts.text('home.terms') }]),
  ]
  return {
    ...frame(views, pageContext, texts.text('home.title')),
    isIndexed: true,
    // A section of this page has them.
    legalLinks: [],
    heading: schoolName,
    tagline: tagline ? plainText(tagline, 200) : undefined,
    sections: [
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
          { href: '/auth.md', label: texts.text('home.get_a_token') },
          { href: '/api.md', label: texts.text('home.api_map') },
          { href: '/docs', label: texts.text('home.reference') },
          { href: '/docs/errors', label: texts.text('home.errors') },
          { href: '/pricing.md', label: texts.text('home.pricing') },
        ],
      },
      {
        id: 'programs',
        heading: texts.text('home.programs'),
        explanation: texts.text('home.programs_explanation'),
        links: [
          { href: '/llms.txt', label: texts.text('home.index') },
          { href: '/.well-known/agent-skills/index.json', label: texts.text('home.skills') },
          { href: '/mcp/server-card', label: texts.text('home.mcp') },
          { href: '/.well-known/ai-catalog.json', label: texts.text('home.ai_catalog') },
          { href: '/.well-known/api-catalog', label: texts.text('home.api_catalog') },
        ],
      },
      ...(legal.length > 0
        ? [
            {
              id: 'legal',
              heading: texts.text('home.legal'),
              explanation: texts.text('home.legal_explanation', { school: schoolName }),
              links: legal,
            },
          ]
        : []),
    ],
  }
}
