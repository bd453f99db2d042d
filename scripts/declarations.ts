/**
 * Loads the declarations of the resources, and derives their operations. Other checks would repeat an error of a declaration.
 *
 *   node scripts/declarations.ts    exits with 1 and prints what the first wrong declaration must change
 */
try {
  const { operationsIn, resources } = await import('../src/school/index.ts')
  process.stdout.write(`${operationsIn(resources).length} operations of ${resources.length} resources\n`)
} catch (error) {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  const [, place] = /(src\/school\/(?!index\.ts)[\w/]+\.ts:\d+)/.exec(stack) ?? []
  // The framework says what a declaration must change. Other errors need their stack.
  const isAboutDeclaration = /^ +at .*src\/engine\/declare\//m.exec(stack.split('\n')[1] ?? '') !== null
  process.stderr.write(isAboutDeclaration ? `${place === undefined ? '' : `${place}: `}${message}\n` : `${stack}\n`)
  process.exitCode = 1
}
