/** A folder of src, and the folders that its files may import. */
export interface Module {
  name: string
  contents: string
  /** Modules whose values and types it may use; `anything` for the modules that compose the service. */
  mayImport: readonly string[] | 'anything'
  /** Modules whose types only it may use. Every module may use the types of the configuration. */
  mayImportTypesOf?: readonly string[]
}

/** A package that only some modules may import. Every module may import a package that has no entry. */
export interface PackageOwner {
  name: string
  modules: readonly string[]
  /** Modules that may use its types. */
  typesIn?: readonly string[]
}

/** The modules in the order of their dependencies. A module may import earlier ones; it gets parts of later ones as arguments. */
export const modules: readonly Module[] = [
  {
    name: 'lib',
    contents: 'the table of problems and their error class, ids, keyring, log; independent of schools',
    mayImport: [],
  },
  {
    name: 'config',
    contents: 'the schema of every key with description and example, loading, the generated manual',
    mayImport: ['lib'],
  },
  {
    name: 'mail',
    contents: 'kinds of e-mails with their values, and transports',
    mayImport: ['lib'],
  },
  {
    name: 'store',
    contents: 'the database, Redis, migrations, clients, grants, artifacts, rate limits, audit, the daily figures',
    mayImport: ['lib', 'gen'],
    mayImportTypesOf: ['policy'],
  },
  {
    name: 'policy',
    contents: 'pure rules: the caller, what each role can grant, which redirect URIs and client metadata are accepted',
    mayImport: ['lib'],
    mayImportTypesOf: ['mail', 'store'],
  },
  {
    name: 'domain',
    contents: "the school's rules that go beyond one row: signing in, publishing a course",
    mayImport: ['store', 'policy', 'lib'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'framework',
    contents: 'the types of a resource declaration, the operations derived from it, and `run`, which executes every operation',
    mayImport: ['policy', 'store', 'lib'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'resources',
    contents: 'one declaration per resource, and their list',
    mayImport: ['framework', 'policy', 'domain', 'lib'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'http',
    contents: 'Koa middleware for HTTP, independent of schools',
    mayImport: ['lib'],
    mayImportTypesOf: ['policy'],
  },
  {
    name: 'oidc',
    contents: 'one engine per school, assembled from option slices by topic; its storage adapter, keys, events',
    mayImport: ['resources', 'policy', 'store', 'http', 'lib'],
  },
  {
    name: 'pages',
    contents: 'pages for people: sign-in, consent, sign-out, errors',
    mayImport: ['oidc', 'policy', 'resources', 'domain', 'http', 'lib'],
    mayImportTypesOf: ['store'],
  },
  {
    name: 'api',
    contents: 'REST routes and OpenAPI, derived from the resources',
    mayImport: ['resources', 'framework', 'policy', 'http', 'lib'],
  },
  {
    name: 'files',
    contents: 'signed upload URLs and the URLs at which files are served',
    mayImport: ['policy', 'http', 'lib'],
    mayImportTypesOf: ['store'],
  },
  {
    name: 'mcp',
    contents: 'the MCP endpoint and its tools, derived from the resources',
    mayImport: ['resources', 'framework', 'policy', 'http', 'lib'],
  },
  {
    name: 'agents',
    contents: 'the documents for agents: well-known ones, auth.md, llms.txt, pricing.md, api.md and one per resource, skills',
    mayImport: ['resources', 'framework', 'http', 'lib'],
    mayImportTypesOf: ['policy'],
  },
  {
    name: 'platform',
    contents: "the intake of the school's other systems on the private port: orders, comments, form submissions, seats",
    mayImport: ['api', 'resources', 'framework', 'policy', 'domain', 'store', 'http', 'lib'],
  },
  {
    name: 'jobs',
    contents: 'background jobs: each is a function that the scheduler and the CLI call',
    mayImport: ['domain', 'policy', 'store', 'lib'],
  },
  {
    name: 'demo',
    contents: 'creates the demo school from the rows in demo/',
    mayImport: ['domain', 'policy', 'store', 'lib'],
  },
  {
    name: 'wiring',
    contents: 'the parts from which app.ts and main.ts compose the service: limits, schools, ports',
    mayImport: 'anything',
  },
  {
    name: 'cli',
    contents: "the operator's commands",
    mayImport: 'anything',
  },
]

/** Packages that only some modules may import, so that replacing one affects only those modules. */
export const packageOwners: readonly PackageOwner[] = [
  { name: '@electric-sql/pglite', modules: ['store'] },
  { name: '@prisma/adapter-pg', modules: ['store'] },
  { name: '@prisma/client', modules: ['store'] },
  { name: 'pglite-prisma-adapter', modules: ['store'] },
  { name: 'pg', modules: ['store'] },
  { name: 'ioredis', modules: ['store'] },
  { name: 'kysely', modules: ['store', 'domain'], typesIn: ['framework', 'policy', 'resources'] },
  { name: 'zod', modules: ['config', 'framework', 'resources', 'platform', 'demo', 'cli'] },
  { name: 'lru-cache', modules: ['lib'] },
  { name: 'oidc-provider', modules: ['oidc'], typesIn: ['pages'] },
  { name: 'ejs', modules: ['pages', 'agents'] },
  { name: 'commander', modules: ['cli'] },
  { name: 'nodemailer', modules: ['mail'] },
  { name: 'standardwebhooks', modules: ['domain'] },
  { name: 'flydrive', modules: ['store'] },
  { name: '@aws-sdk/client-s3', modules: ['store'] },
  // Contexts of another application would parse queries in quadratic time: see src/http/createKoa.ts.
  { name: 'koa', modules: ['http'], typesIn: ['oidc', 'pages', 'api', 'files', 'mcp', 'agents', 'platform', 'wiring'] },
  { name: 'koa-body', modules: ['http'] },
  { name: 'formidable', modules: ['http'] },
  { name: 'markdown-it', modules: ['domain'] },
  { name: '@simplewebauthn/server', modules: ['domain'] },
  { name: 'otpauth', modules: ['domain'] },
  { name: 'uqr', modules: ['pages'] },
  { name: '@resvg/resvg-wasm', modules: ['pages'] },
  { name: '@csstools/css-tokenizer', modules: ['domain'] },
  { name: 'sanitize-html', modules: ['domain'] },
  { name: '@zxcvbn-ts/core', modules: ['domain'] },
  { name: '@zxcvbn-ts/language-common', modules: ['domain'] },
  { name: '@zxcvbn-ts/language-de', modules: ['domain'] },
  { name: '@zxcvbn-ts/language-en', modules: ['domain'] },
  { name: '@modelcontextprotocol/server', modules: ['mcp'] },
  { name: '@opentelemetry/api', modules: ['wiring'] },
  { name: '@opentelemetry/exporter-trace-otlp-http', modules: ['wiring'] },
  { name: '@opentelemetry/resources', modules: ['wiring'] },
  { name: '@opentelemetry/sdk-trace', modules: ['wiring'] },
]

/** The files that may use `process`. All others get its values as arguments. */
export const processFiles: readonly string[] = ['src/main.ts', 'src/cli/', 'src/store/directoryLock.ts']
