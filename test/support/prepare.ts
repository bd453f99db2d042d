import { prepareDatabases } from './databases.ts'

/** Runs once before the first test file. The returned function runs after the last one. */
export const setup = (): Promise<() => Promise<void>> => prepareDatabases()
