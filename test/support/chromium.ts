import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executable = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium'

/** Whether there is a Chromium. Its absence is said aloud; with REQUIRE_SERVICES=1 it is a failure. */
export function hasChromium(): boolean {
  if (existsSync(executable)) return true
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(`Chromium (${executable}, TEST_CHROMIUM) is required and is not there`)
  process.stderr.write(`NOT RUN: everything that needs Chromium (${executable}, TEST_CHROMIUM), which is not there\n`)
  return false
}

/** A browser that speaks to nobody of its own accord. */
export function launchChromium(): Promise<Browser> {
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
