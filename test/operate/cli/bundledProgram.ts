/**
 * Runs commands from the bundle in one process, which takes a tenth of the time of a process for each. Started by `bundledCli`: each
 * message is a command, and each answer its outcome.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { saveBelow } from '../../../src/operate/cli/commandLine.ts'
import type { runCli } from '../../../src/operate/cli/program.ts'
import { bundleFolder, root } from '../../../src/operate/serve/programFile.mjs'
import type { BundledCommand, BundledOutcome } from './bundledCli.ts'

const folder = join(root, bundleFolder)
const file = readdirSync(folder).find((name) => /^program-.*\.js$/.test(name)) ?? ''
const exported: unknown[] = Object.values(await import(pathToFileURL(join(folder, file)).href))
const run = exported.find((value): value is typeof runCli => typeof value === 'function' && value.name === 'runCli')
if (!run) throw new Error(`${file} exports no runCli`)

let warnings: string[] = []
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`))
process.on('message', ({ args, variables, input }: BundledCommand) => {
  const outcome: BundledOutcome = { exitCode: 0, out: '', err: '', warnings: [] }
  const terminal = {
    out(text: string) {
      outcome.out += text
    },
    err(text: string) {
      outcome.err += text
    },
    isInteractive: false,
    ask: () => Promise.reject(new Error('there is no terminal')),
    askSecretly: () => Promise.reject(new Error('there is no terminal')),
    readInput: () => Promise.resolve(input),
    save: saveBelow,
  }
  // A command that follows ends after what exists.
  const signal = args.includes('--follow') ? AbortSignal.abort() : new AbortController().signal
  void run(args, { terminal, variables, userName: 'ops', signal }).then((exitCode) => {
    process.send?.({ ...outcome, exitCode, warnings })
    warnings = []
  })
})
process.send?.('ready')
