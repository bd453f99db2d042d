import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executable = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium'

/** True if Chromium is installed. Reports its absence; with REQUIRE_SERVICES=1 its absence is a failure. */
export function hasChromium(): boolean {
  if (existsSync(executable)) return true
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(`Chromium (${executable}, TEST_CHROMIUM) is required and is not there`)
  process.stderr.write(`NOT RUN: everything that needs Chromium (${executable}, TEST_CHROMIUM), which is not there\n`)
  return false
}

/** Starts a browser that sends no background requests. */
function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable,
    timeout: 60_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

let ofWorker: Promise<Browser> | undefined
/** The browser that the tests of a worker share. It ends with the worker. */
export const sharedChromium = (): Promise<Browser> => {
  ofWorker ??= launchChromium()
  return ofWorker
}
