import type { OAuthConfig } from '../config/oauth.ts'
import type { Operation } from '../framework/declare/operations.ts'
import type { ScopeEntry } from '../framework/declare/scopeCatalogue.ts'

/** A row as a visitor sees it. */
export type PublicRow = Readonly<Record<string, unknown>>

/** The school through the eyes of a caller without a token: the only way in which documents look at it. */
export interface PublicView {
  /** Runs an operation on a single row. Throws a Problem where visitors have no such row. */
  show(operation: Operation, parameters?: Readonly<Record<string, string>>): Promise<PublicRow>
  /** The first `most` rows of a list, and whether these are all. */
  list(operation: Operation, parameters: Readonly<Record<string, string>>, most: number): Promise<{ rows: PublicRow[]; isAll: boolean }>
}

/** What documents name of the authorization server's metadata (RFC 8414 section 2). */
export interface ServerMetadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  revocation_endpoint: string
  /** Absent where clients cannot register themselves. */
  registration_endpoint?: string
  scopes_supported: readonly string[]
}

/** How often something may be done. */
export interface RateLimit {
  name: string
  about: string
  requests: number
  window_seconds: number
}

/** All that a school's documents are made of. Nothing in them comes from anywhere else. */
export interface SchoolFacts {
  issuer: string
  /** Under which the API stands, such as `/api/v1`. */
  apiPath: string
  docsUrl: string
  pricingNote: string | undefined
  /** Where an item is paid; undefined where the school names no checkout. */
  checkoutOf(item: { type: string; id: string }): string | undefined
  oauth: OAuthConfig
  rateLimits: readonly RateLimit[]
  scopes: readonly ScopeEntry[]
  operations: readonly Operation[]
  view: PublicView
  metadata(): Promise<ServerMetadata>
  /** Whether something answers at a path of this school. */
  isServed(path: string): Promise<boolean>
}

/** Where the documents stand that agents read. */
export const paths = {
  protectedResource: '/.well-known/oauth-protected-resource',
  authorizationServer: '/.well-known/oauth-authorization-server',
  openidConfiguration: '/.well-known/openid-configuration',
  apiCatalog: '/.well-known/api-catalog',
  openApi: '/openapi.json',
  reference: '/docs',
  authMd: '/auth.md',
  llmsTxt: '/llms.txt',
  pricingMd: '/pricing.md',
  mcp: '/mcp',
} as const
