import { writeBundle } from '../../scripts/bundle.ts'
import { installTestClients } from '../../scripts/testClients.ts'
import { programUrl } from '../../src/operate/serve/programFile.mjs'
import { prepareDatabases } from './databases.ts'

/** Runs once before the first test file. The returned function runs after the last one. */
export async function setup(): Promise<() => Promise<void>> {
  installTestClients()
  // Tests start processes from the bundle, as an installation does.
  if (!programUrl('operate/serve/runService', {}).endsWith('.js')) await writeBundle()
  return await prepareDatabases()
}
