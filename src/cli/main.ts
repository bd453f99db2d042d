#!/usr/bin/env node
import { programUrl } from '../wiring/programFile.ts'

type CommandLine = typeof import('./commandLine.ts')

await (import(programUrl('cli/commandLine', process.env)) as Promise<CommandLine>)
