import type { KnipConfig } from 'knip'
import { programs } from './src/operate/serve/programFile.mjs'
import { generators } from './test/clients/generators.ts'
import { nodeLibraries } from './test/clients/libraries.ts'

const config: KnipConfig = {
  workspaces: {
    '.': {
      project: ['{src,test,verification,scripts,bench}/**/*.{ts,mjs}', '*.ts'],
      entry: [
        ...programs.map((program) => `src/${program}.ts`),
        // Files that a path starts or loads.
        'scripts/{completeLists,declarations,demoRows,factWriters,imports,language,makeConfusables,moduleState,packagesTwice,sourceLimits}.ts',
        'test/school/subjects/*.ts',
        'test/{operate/cli/bundledProgram,database/embeddedWriter,database/migrator,support/listModules,support/movedClock}.ts',
        'verification/{engines/sharding/recordToFile,fuzz/watchProcess}.ts',
        'verification/mutation/{recordCalls,vitest.config}.ts',
        'bench/process/reportUsage.mjs',
        'src/operate/cli/healthCheck.mjs',
        // Takes the place of another module in the bundle.
        'src/operate/compose/writtenTexts.ts',
      ],
      ignoreDependencies: [
        // Pages find the files of a font by a computed name.
        '@fontsource/.+',
        '@fontsource-variable/.+',
        // A test compiles manifests with it.
        'kubernetes-types',
        // Contains tsc.
        '@typescript/native',
      ],
    },
    'test/clients': {
      project: '**/*.ts',
      entry: ['*.test.ts', 'adapters/serveAdapters.ts'],
      ignoreDependencies: [
        // Tests start these programs.
        ...generators.flatMap((generator) => (generator.package === 'openapi-typescript' ? [] : [generator.package])),
        '@kubb/core',
        '@kubb/plugin-oas',
        '@modelcontextprotocol/conformance',
        'mcp-remote',
        'mcp-remote-0.1',
        // Loaded by a computed name.
        '@auth/core',
        'passport-oauth2',
        ...nodeLibraries.flatMap((library) => (/-\d(\.\d)?$/.test(library.package) ? [library.package] : [])),
        // A part of passport, for types.
        'oauth',
      ],
    },
  },
  exclude: ['binaries', 'types'],
}

export default config
