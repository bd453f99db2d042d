export interface CacheKind {
  about: string
  key: string
  /** Entries of one instance, or their bytes in memory. Beyond that the least recently used ones are dropped. */
  bound: { max: number } | { maxSize: number }
  /** The file that creates it. */
  owner: string
  emptiedBy: string
  /** True if it holds what is not stored elsewhere: `CACHES=off` does not turn it off. */
  isState?: boolean
}

/** Every cache in the memory of a process. */
export const cacheTable = {
  responses: {
    about: 'Complete responses: documents, metadata, keys',
    key: 'school, path',
    bound: { maxSize: 16 * 1_048_576 },
    owner: 'src/base/http/responseTable.ts',
    emptiedBy: 'a change of the school through the API, a reload, the lifetime that the handler sets',
  },
  visitor_answers: {
    about: 'Responses of the catalogue to visitors',
    key: 'school, operation, format, parameters',
    bound: { maxSize: 16 * 1_048_576 },
    owner: 'src/engine/read/visitorAnswers.ts',
    emptiedBy: 'a new version of the content of the school, one second, a reload, a lost connection to Redis',
  },
  row_texts: {
    about: 'Texts of rows of the catalogue, without the members that depend on the caller or the time',
    key: 'school, resource, role, view, id',
    bound: { maxSize: 16 * 1_048_576 },
    owner: 'src/engine/read/rowTextStore.ts',
    emptiedBy: 'a new version of the row or of the content of the school, 20 seconds, a reload, a lost connection to Redis',
  },
  facts: {
    about: 'Clients, grants and accounts that tokens name',
    key: 'kind, school, id',
    bound: { max: 10_000 },
    owner: 'src/database/facts/factCache.ts',
    emptiedBy: 'a new version of the fact, 20 seconds, a lost connection to Redis',
  },
  school_names: {
    about: 'Names of schools',
    key: 'school',
    bound: { max: 1000 },
    owner: 'src/database/facts/keptContent.ts',
    emptiedBy: 'a new version of the content of the school, one second, a lost connection to Redis',
  },
  school_brandings: {
    about: 'Names, colours, logos and legal documents of schools, for the sign-in and account pages and e-mails',
    key: 'school',
    bound: { max: 1000 },
    owner: 'src/database/facts/keptContent.ts',
    emptiedBy: 'a new version of the content of the school, 20 seconds, a lost connection to Redis',
  },
  token_holders: {
    about: 'Account and client of access tokens, to count a request before its token is checked',
    key: 'school, hash of the token',
    bound: { max: 10_000 },
    owner: 'src/identity/oidc/tokenChecks.ts',
    emptiedBy: 'nothing: the holder of a token never changes',
  },
  engines: {
    about: 'The protocol engine of each school',
    key: 'school',
    bound: { max: 1000 },
    owner: 'src/identity/oidc/runtimes.ts',
    emptiedBy: 'new signing keys, compared every 5 seconds; a reload',
  },
  client_documents: {
    about: 'Client ID metadata documents',
    key: 'URL',
    bound: { max: 500 },
    owner: 'src/identity/oidc/clientDocuments.ts',
    emptiedBy: 'the lifetime in the response of the host; a day if the host does not respond',
  },
  unreachable_document_hosts: {
    about: 'Hosts of client ID metadata documents that did not respond',
    key: 'host',
    bound: { max: 500 },
    owner: 'src/identity/oidc/clientDocuments.ts',
    emptiedBy: '10 seconds',
  },
  unreachable_key_sets: {
    about: 'Key sets of clients that could not be loaded',
    key: 'URL',
    bound: { max: 100 },
    owner: 'src/identity/oidc/clientAssertions.ts',
    emptiedBy: '10 seconds',
  },
  served_addresses: {
    about: 'Whether visitors get an address',
    key: 'school, path',
    bound: { max: 500 },
    owner: 'src/agents/agentDocuments.ts',
    emptiedBy: 'a change of the school through the API, one second, a reload',
  },
  agent_documents: {
    about: 'Documents for agents',
    key: 'school, path, media type',
    bound: { max: 200 },
    owner: 'src/agents/agentDocuments.ts',
    emptiedBy: 'a change of the school through the API, seconds, a reload',
  },
  skills: {
    about: 'The skills of a school',
    key: 'school',
    bound: { max: 100 },
    owner: 'src/agents/agentDocuments.ts',
    emptiedBy: 'seconds, a reload',
  },
  accepted_documents: {
    about: 'Whether a school accepts client metadata documents',
    key: 'school',
    bound: { max: 1000 },
    owner: 'src/operate/compose/documentRules.ts',
    emptiedBy: 'nothing: it is used only while the database does not respond',
  },
  legal_links: {
    about: 'Addresses of the privacy policy and the terms',
    key: 'school',
    bound: { max: 5000 },
    owner: 'src/agents/agentDocuments.ts',
    emptiedBy: 'one second, a reload; used longer while the database does not respond',
  },
  pictures: {
    about: 'Icons of schools and previews of public pages, drawn as PNG',
    key: 'hash of the drawing',
    bound: { maxSize: 8 * 1_048_576 },
    owner: 'src/pages/pictures/pngRenderer.ts',
    emptiedBy: 'nothing: another title or colour has another key',
  },
  picture_logos: {
    about: 'Logos of schools, for the previews of public pages',
    key: 'school, id of the file',
    bound: { maxSize: 8 * 1_048_576 },
    owner: 'src/operate/compose/pictureLogos.ts',
    emptiedBy: 'nothing: another logo has another id',
  },
  undrawable_logos: {
    about: 'Logos that could not be drawn, which previews then leave out',
    key: 'hash of the drawing of the logo',
    bound: { max: 500 },
    owner: 'src/pages/pictures/pngRenderer.ts',
    emptiedBy: '10 minutes',
  },
  site_menus: {
    about: 'Menus of the public pages',
    key: 'school',
    bound: { max: 500 },
    owner: 'src/operate/compose/site.ts',
    emptiedBy: 'a change of the school through the API, 5 seconds, a reload',
  },
  page_texts: {
    about: 'Texts of pages in a time zone',
    key: 'language, time zone',
    bound: { max: 200 },
    owner: 'src/pages/pageContext.ts',
    emptiedBy: 'nothing: they follow from the key',
  },
  page_themes: {
    about: 'Logos and style sheets of pages',
    key: 'name, theme',
    bound: { max: 200 },
    owner: 'src/pages/pageContext.ts',
    emptiedBy: 'nothing: they follow from the key',
  },
  statements: {
    about: 'Compiled statements of reads',
    key: 'shape of the statement',
    bound: { max: 1000 },
    owner: 'src/database/connection/statementCache.ts',
    emptiedBy: 'nothing: they follow from the key',
  },
  statement_names: {
    about: 'Names of statements that PostgreSQL prepares',
    key: 'text of the statement',
    bound: { max: 400 },
    owner: 'src/database/connection/statementNames.ts',
    emptiedBy: 'nothing: they follow from the key',
  },
  admissions: {
    about: 'The remaining requests of rate limits, to count a request together with its write',
    key: 'limit, school, subject',
    bound: { max: 50_000 },
    owner: 'src/base/http/admission.ts',
    emptiedBy: 'the end of the window of the limit',
  },
  rate_limits: {
    about: 'Keys of rate limits that this process counts while Redis does not',
    key: 'limit, school, subject',
    bound: { max: 100_000 },
    owner: 'src/database/redis/rateLimits.ts',
    emptiedBy: 'the end of the window of the limit',
    isState: true,
  },
  attempts: {
    about: 'Failed attempts that this process counts while Redis does not',
    key: 'limit, school, subject',
    bound: { max: 100_000 },
    owner: 'src/database/redis/attemptLimits.ts',
    emptiedBy: 'the end of the window of the limit, a success',
    isState: true,
  },
} as const satisfies Record<string, CacheKind>

export type CacheName = keyof typeof cacheTable
