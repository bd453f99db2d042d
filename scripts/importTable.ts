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
    name: 'base',
    contents: 'independent of schools: ids, time, texts, problems, log, outbound requests, HTTP middleware, e-mail',
    mayImport: [],
  },
  {
    name: 'config',
    contents: 'the schema of every key with description and example, loading, the generated manual',
    mayImport: ['base'],
  },
  {
    name: 'database',
    contents: 'connections, migrations, Redis, the outbox, the records of undo, and the tables that several modules read',
    mayImport: ['base', 'gen'],
  },
  {
    name: 'identity',
    contents: 'who somebody is and what an app may do: tokens, clients, grants, accounts, factors; one protocol engine per school',
    mayImport: ['database', 'base'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'engine',
    contents: 'a declaration becomes operations, and operations become REST, MCP, OpenAPI and CSV; `run` executes every one',
    mayImport: ['database', 'base'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'school',
    contents: 'one folder per feature: its declaration, rules, expressions and jobs',
    mayImport: ['engine', 'identity', 'database', 'base'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'pages',
    contents: 'pages for people: the public site, sign-in, consent, the account, the desk of the staff',
    mayImport: ['school', 'identity', 'engine', 'database', 'base'],
  },
  {
    name: 'agents',
    contents: 'the documents for agents: well-known ones, auth.md, llms.txt, pricing.md, api.md and one per resource, skills',
    mayImport: ['school', 'engine', 'base'],
    mayImportTypesOf: ['identity'],
  },
  {
    name: 'operate',
    contents: 'what runs it: composition, processes, commands, doctor, jobs, metrics, the demo school',
    mayImport: 'anything',
  },
]

/** Packages that only some modules may import, so that replacing one affects only those modules. */
export const packageOwners: readonly PackageOwner[] = [
  { name: '@electric-sql/pglite', modules: ['database'] },
  { name: '@prisma/adapter-pg', modules: ['database'] },
  { name: '@prisma/client', modules: ['database'] },
  { name: 'pglite-prisma-adapter', modules: ['database'] },
  { name: 'pg', modules: ['database'] },
  { name: 'ioredis', modules: ['database', 'identity/tokens'] },
  { name: 'kysely', modules: ['database', 'identity', 'school'], typesIn: ['engine'] },
  { name: 'zod', modules: ['config', 'engine', 'school', 'operate'] },
  { name: 'lru-cache', modules: ['base'] },
  { name: 'oidc-provider', modules: ['identity'], typesIn: ['pages'] },
  { name: 'ejs', modules: ['base/text'] },
  { name: 'commander', modules: ['operate'] },
  { name: 'saxes', modules: ['operate'] },
  { name: 'nodemailer', modules: ['base/mail'] },
  { name: 'standardwebhooks', modules: ['school'] },
  { name: 'flydrive', modules: ['database'] },
  { name: '@aws-sdk/client-s3', modules: ['database'] },
  // Contexts of another application would parse queries in quadratic time: see src/base/http/createKoa.ts.
  { name: 'koa', modules: ['base/http'], typesIn: ['identity', 'engine', 'school', 'pages', 'agents', 'operate'] },
  { name: 'koa-body', modules: ['base/http'] },
  { name: 'formidable', modules: ['base/http'] },
  { name: 'markdown-it', modules: ['school'] },
  { name: 'markdown-it-footnote', modules: ['school'] },
  { name: '@simplewebauthn/server', modules: ['identity'] },
  { name: 'otpauth', modules: ['identity'] },
  { name: 'uqr', modules: ['pages'] },
  { name: '@resvg/resvg-wasm', modules: ['pages'] },
  { name: '@csstools/css-tokenizer', modules: ['school'] },
  { name: 'sanitize-html', modules: ['school'] },
  { name: '@zxcvbn-ts/core', modules: ['identity'] },
  { name: '@zxcvbn-ts/language-common', modules: ['identity'] },
  { name: '@zxcvbn-ts/language-de', modules: ['identity'] },
  { name: '@zxcvbn-ts/language-en', modules: ['identity'] },
  { name: '@modelcontextprotocol/server', modules: ['engine'] },
  { name: '@opentelemetry/api', modules: ['operate'] },
  { name: '@opentelemetry/exporter-trace-otlp-http', modules: ['operate'] },
  { name: '@opentelemetry/resources', modules: ['operate'] },
  { name: '@opentelemetry/sdk-trace', modules: ['operate'] },
]

/** The files that may use `process`. All others get its values as arguments. */
export const processFiles: readonly string[] = ['src/main.mjs', 'src/operate/cli/', 'src/database/connection/directoryLock.ts']
