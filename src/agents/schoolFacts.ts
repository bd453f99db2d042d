import type { ListedRow, PageOfRows } from '../base/text/pageOfRows.ts'
import type { OAuthConfig } from '../config/oauth.ts'
import type { ScopeEntry } from '../engine/declare/area.ts'
import type { Operation } from '../engine/declare/operations.ts'
import type { LegalDocuments } from '../school/settings/legalDocuments.ts'

/** The school as a caller without a token sees it. Documents read the school only in this way. */
export interface PublicView {
  /** Runs an operation on a single row. Throws a Problem if visitors cannot see it. */
  show<Body = ListedRow>(operation: Operation, parameters?: ListedRow): Promise<Body>
  page<Row = ListedRow>(operation: Operation, parameters: ListedRow): Promise<PageOfRows<Row>>
  /** Returns the number of rows of a whole list, up to `most`, in one statement. */
  count(operation: Operation, most: number): Promise<number>
  /** Returns the first rows of a list. */
  list<Row = ListedRow>(operation: Operation, parameters: ListedRow, most: number): Promise<{ rows: Row[]; isAll: boolean }>
}

/** Members of the authorization server's metadata that documents contain (RFC 8414 section 2). */
export interface ServerMetadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  revocation_endpoint: string
  /** Absent if clients cannot register themselves. */
  registration_endpoint?: string
  scopes_supported: readonly string[]
}

export interface RateLimit {
  name: string
  about: string
  requests: number
  window_seconds: number
}

/** The data of a school's documents. They contain no data from other sources. */
export interface SchoolFacts {
  issuer: string
  apiPath: string
  docsUrl: string
  pricingNote: string | undefined
  /** Where to report security problems: a mailto: or https:// URL. */
  securityContact: string | undefined
  /** Returns the checkout URL of an item; undefined if the school has none. */
  checkoutOf(item: { type: string; id: string }): string | undefined
  oauth: OAuthConfig
  rateLimits: readonly RateLimit[]
  scopes: readonly ScopeEntry[]
  operations: readonly Operation[]
  view: PublicView
  legal(): Promise<LegalDocuments>
  metadata(): Promise<ServerMetadata>
  isServed(path: string): Promise<boolean>
  hasPages: boolean
}

export const paths = {
  protectedResource: '/.well-known/oauth-protected-resource',
  authorizationServer: '/.well-known/oauth-authorization-server',
  openidConfiguration: '/.well-known/openid-configuration',
  apiCatalog: '/.well-known/api-catalog',
  openApi: '/openapi.json',
  reference: '/docs',
  errors: '/docs/errors',
  errorsMd: '/docs/errors.md',
  apiMd: '/api.md',
  home: '/',
  robotsTxt: '/robots.txt',
  sitemap: '/sitemap.xml',
  securityTxt: '/.well-known/security.txt',
  changePassword: '/.well-known/change-password',
  authMd: '/auth.md',
  llmsTxt: '/llms.txt',
  llmsFullTxt: '/llms-full.txt',
  pricingMd: '/pricing.md',
  mcp: '/mcp',
  serverCard: '/mcp/server-card',
  aiCatalog: '/.well-known/ai-catalog.json',
  apps: '/docs/apps',
  appsMd: '/docs/apps.md',
  skills: '/.well-known/agent-skills/index.json',
} as const
