#!/usr/bin/env node
import { programUrl } from '../serve/programFile.mjs'

await import(programUrl('operate/cli/commandLine', process.env))
