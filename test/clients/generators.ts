/** A generator of clients that the tests run on `/openapi.json`: a row of the table in docs/integrate.md. */
export interface Generator {
  package: string
  generates: string
  /** Settings other than the defaults. Markdown. */
  settings: string
  /** The command that reads `api.json` and writes to the current directory, as arguments of `npx`. */
  command: readonly string[]
  /** The generated file that imports all others. */
  entry: string
}

export const generators: readonly Generator[] = [
  {
    package: 'openapi-typescript',
    generates: 'types',
    settings: 'none',
    command: ['openapi-typescript', 'api.json', '--output', 'types.ts'],
    entry: 'types.ts',
  },
  {
    package: '@hey-api/openapi-ts',
    generates: 'types and a client',
    settings: 'none',
    command: ['openapi-ts', '-i', 'api.json', '-o', 'hey'],
    entry: 'hey/index.ts',
  },
  {
    package: 'orval',
    generates: 'types and a client',
    settings: '`--client fetch`',
    command: ['orval', '--input', 'api.json', '--output', 'orval.ts', '--client', 'fetch'],
    entry: 'orval.ts',
  },
  { package: '@kubb/plugin-ts', generates: 'types', settings: 'none', command: ['node', 'kubb.mjs'], entry: 'kubb/index.ts' },
  {
    package: 'swagger-typescript-api',
    generates: 'types and a client',
    settings: 'none',
    command: ['swagger-typescript-api', 'generate', '-p', 'api.json', '-o', '.', '-n', 'swagger.ts'],
    entry: 'swagger.ts',
  },
  {
    package: 'openapi-zod-client',
    generates: 'Zod schemas and a client',
    settings: 'none',
    command: ['openapi-zod-client', 'api.json', '-o', 'zod/index.ts'],
    entry: 'zod/index.ts',
  },
]

/** Returns a Markdown table with a row for each generator. `compiling` has those whose output compiles. */
export function generatorTable(versions: Readonly<Record<string, string>>, compiling: readonly Generator[]): string {
  const rows = generators.map((generator) => {
    const compiles = compiling.includes(generator) ? 'yes, with `strict`' : 'no'
    return `| ${generator.package} | ${versions[generator.package]} | ${generator.generates} | ${compiles} | ${generator.settings} |`
  })
  return ['| generator | version | generates | compiles | settings |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

/** A program that runs kubb, whose installed packages have no command. */
export const kubbProgram = `
import { build } from '@kubb/core'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

const { error, failedPlugins } = await build({
  config: {
    root: '.',
    input: { path: 'api.json' },
    output: { path: 'kubb' },
    plugins: [pluginOas({ generators: [], validate: false }), pluginTs({ output: { path: 'models.ts' } })],
  },
})
if (error || failedPlugins.size > 0) throw error ?? new Error('a plugin failed')
`
