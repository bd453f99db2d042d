#!/usr/bin/env node
import { programUrl } from '../serve/programFile.ts'

type CommandLine = typeof import('./commandLine.ts')

await (import(programUrl('operate/cli/commandLine', process.env)) as Promise<CommandLine>)
