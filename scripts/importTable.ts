/** A folder of src, and what the files in it may import beside themselves. */
export interface Room {
  name: string
  holds: string
  /** Rooms whose values and types it may use; `anything` for those that put the service together. */
  mayImport: readonly string[] | 'anything'
  /** Rooms whose types alone it may use. Types of the configuration are open to every room. */
  mayImportTypesOf?: readonly string[]
}

/** A package that belongs to some rooms. A package without an entry may be imported by all of them. */
export interface PackageOwner {
  name: string
  rooms: readonly string[]
  /** Rooms that may use its types. */
  typesIn?: readonly string[]
}

/** One way only, from top to bottom: what a lower room needs from a higher one is handed to it as an argument. */
export const rooms: readonly Room[] = [
  {
    name: 'lib',
    holds: 'the table of problems and the one error class, ids, keyring, log: nothing that knows what a school is',
    mayImport: [],
  },
  {
    name: 'config',
    holds: 'the schema of every key with description and example, loading, the printed manual',
    mayImport: ['lib'],
  },
  {
    name: 'store',
    holds: 'the database, Redis, migrations, clients, grants, artifacts, rate limits, audit',
    mayImport: ['lib', 'gen'],
    mayImportTypesOf: ['policy'],
  },
  {
    name: 'policy',
    holds: 'pure rules: who calls, what a role may lend, which redirect URIs and client metadata are taken',
    mayImport: ['lib'],
    mayImportTypesOf: ['store'],
  },
  {
    name: 'domain',
    holds: "the school's rules that are more than a row: signing in, publishing a course",
    mayImport: ['store', 'policy', 'lib'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'kit',
    holds: 'what a resource declaration is, the operations derived from it, and the one road `run`',
    mayImport: ['policy', 'store', 'lib'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'resources',
    holds: 'one declaration per resource, and the list of them',
    mayImport: ['kit', 'policy', 'domain', 'lib'],
    mayImportTypesOf: ['gen'],
  },
  {
    name: 'http',
    holds: 'Koa middleware that knows HTTP and nothing of the school',
    mayImport: ['lib'],
    mayImportTypesOf: ['policy'],
  },
  {
    name: 'oidc',
    holds: 'the engine, one per school, from option slices by topic; its storage adapter, keys, events',
    mayImport: ['resources', 'policy', 'store', 'http', 'lib'],
  },
  {
    name: 'pages',
    holds: 'what people see: sign-in, consent, sign-out, errors',
    mayImport: ['oidc', 'policy', 'resources', 'domain', 'http', 'lib'],
    mayImportTypesOf: ['store'],
  },
  {
    name: 'api',
    holds: 'REST routes and OpenAPI, derived from the resources',
    mayImport: ['resources', 'kit', 'policy', 'http', 'lib'],
  },
  {
    name: 'files',
    holds: 'signed addresses to which bytes are sent, and the addresses at which files are served',
    mayImport: ['policy', 'http', 'lib'],
    mayImportTypesOf: ['store'],
  },
  {
    name: 'mcp',
    holds: 'the MCP endpoint and its tools, derived from the resources',
    mayImport: ['resources', 'kit', 'policy', 'http', 'lib'],
  },
  {
    name: 'agents',
    holds: 'well-known documents, auth.md, llms.txt, pricing.md',
    mayImport: ['resources', 'http', 'lib'],
    mayImportTypesOf: ['kit', 'policy'],
  },
  {
    name: 'jobs',
    holds: 'sweeps and clean-ups, each a function that the schedule and the CLI both call',
    mayImport: ['domain', 'store', 'lib'],
  },
  {
    name: 'mail',
    holds: 'messages to people, and how they are sent',
    mayImport: ['lib'],
  },
  {
    name: 'demo',
    holds: 'the demo school, the same on every start',
    mayImport: ['domain', 'policy', 'store', 'lib'],
  },
  {
    name: 'wiring',
    holds: 'the parts of the composition that app.ts and main.ts put together: limits, schools, ports',
    mayImport: 'anything',
  },
  {
    name: 'cli',
    holds: "the operator's commands",
    mayImport: 'anything',
  },
]

/** Packages that only some rooms may know, so that replacing one stays the business of those rooms. */
export const packageOwners: readonly PackageOwner[] = [
  { name: '@electric-sql/pglite', rooms: ['store'] },
  { name: '@prisma/adapter-pg', rooms: ['store'] },
  { name: '@prisma/client', rooms: ['store'] },
  { name: 'pglite-prisma-adapter', rooms: ['store'] },
  { name: 'pg', rooms: ['store'] },
  { name: 'pg-copy-streams', rooms: ['store'] },
  { name: 'ioredis', rooms: ['store'] },
  { name: 'kysely', rooms: ['store'], typesIn: ['kit', 'policy', 'domain', 'resources'] },
  { name: 'zod', rooms: ['config', 'kit', 'resources'] },
  { name: 'oidc-provider', rooms: ['oidc'], typesIn: ['pages'] },
  { name: 'ejs', rooms: ['pages', 'agents'] },
  { name: 'commander', rooms: ['cli'] },
  { name: 'nodemailer', rooms: ['mail'] },
  { name: 'flydrive', rooms: ['store'] },
  { name: '@aws-sdk/client-s3', rooms: ['store'] },
  { name: 'formidable', rooms: ['http'] },
  { name: 'markdown-it', rooms: ['domain'] },
  { name: '@csstools/css-tokenizer', rooms: ['domain'] },
  { name: 'sanitize-html', rooms: ['domain'] },
  { name: '@modelcontextprotocol/server', rooms: ['mcp'] },
]

/** The files that may touch `process`: everything else gets what it needs as an argument. */
export const processFiles: readonly string[] = ['src/main.ts', 'src/cli/', 'src/store/directoryLock.ts']
