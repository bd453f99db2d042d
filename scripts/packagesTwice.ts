/**
 * Checks that no package exists twice in a process that runs the bundle: in it, and in `node_modules` for a package outside of it. Each
 * copy has its own classes and state, so `instanceof` is false for an object of the other one.
 *
 *   node scripts/packagesTwice.ts    exits with 1 and lists the packages
 */
import { type InputOptions, rolldown } from 'rolldown'
import { bundleOptions, packageOf } from './bundle.ts'
import { fail } from './modules.ts'

const separated = new Set<string>()
const bundled = await packagesOf(bundleOptions(process.cwd(), separated))
// Without packages the check would always pass.
if (bundled.size === 0) fail('the bundle contains no package: run this in the root of the project')
const complaints: string[] = []
for (const id of separated) {
  // Node loads every file that a package imports, whether its exports are used or not.
  const loaded = await packagesOf({ input: { separated: id }, platform: 'node', treeshake: false, logLevel: 'silent' })
  const twice = [...loaded].filter((name) => bundled.has(name))
  if (twice.length > 0) complaints.push(`${id} is outside of the bundle and loads packages that are in it: ${twice.join(', ')}`)
}
if (complaints.length > 0) fail(`${complaints.join('\n')}\n\nIn scripts/bundle.ts, remove the first from \`separate\`, or add the others.`)
process.stdout.write(`${bundled.size} packages in the bundle, none of them outside as well\n`)

/** Returns the folders of the packages whose modules are in a bundle. */
async function packagesOf(options: InputOptions): Promise<Set<string>> {
  const bundle = await rolldown(options)
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  const files = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  return new Set(files.flatMap((file) => packageOf(file) ?? []))
}
