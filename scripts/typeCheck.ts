import { availableParallelism } from 'node:os'

/** Each checker repeats a part of the work of the others: with two, a check after a change of a table takes nearly twice the CPU time. */
const checkers = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)))

/** The command that checks the types of the project. Only files that a change can affect are checked again. */
export const typeCheck = `tsc --noEmit --checkers ${checkers} --incremental --tsBuildInfoFile node_modules/.cache/tsc.json`
