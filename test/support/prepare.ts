import { prepareDatabases } from './databases.ts'

/** Runs once, before the first test file; what it answers runs after the last. */
export const setup = (): Promise<() => Promise<void>> => prepareDatabases()
