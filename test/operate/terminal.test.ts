import { EventEmitter } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runService, type ServiceProcess } from '../../src/operate/serve/runService.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, rootSecret } from '../support/process.ts'

let home: Home
beforeAll(async () => {
  home = await createHome()
})
afterAll(() => home.remove())

/** Runs the service as on a terminal, stops it, and returns everything that it printed. */
async function printed(environment: Record<string, string> = {}): Promise<string> {
  let output = ''
  const signals = new EventEmitter()
  const [port, adminPort] = [await freePort(), await freePort()]
  let code: number | undefined
  const self: ServiceProcess = {
    on: (signal, listener) => signals.on(signal, listener),
    exit: (status) => {
      code = status
    },
    stdout: { isTTY: true, write: (text) => (output += text) },
    env: {
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      CONFIG_DIR: home.config,
      DATA_DIR: home.data,
      SECRET_KEY: rootSecret,
      DEMO_PASSWORD: 'correct horse battery staple',
      NO_COLOR: '1',
      ...environment,
    },
  }
  await runService(self)
  await fetch(`http://127.0.0.1:${port}/api/v1/courses`)
  signals.emit('SIGINT', 'SIGINT')
  await until(() => code !== undefined, { what: 'the service to stop' })
  return output
}

/**
 * Returns what remains visible: a line that is erased disappears. Other tests keep this process busy, which the service rightly warns of: its
 * warning is left out.
 */
const visible = (output: string): string =>
  output
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the erasing of a line
    .replaceAll(/\r\u001B\[2K[^\n]*?(?=\r\u001B\[2K)/g, '')
    .replaceAll('\r\u001B[2K', '')
    .replaceAll(/^.*event loop blocked.*\n/gm, '')

test('on a terminal, the first start shows its progress in one line, and then the welcome text alone', async () => {
  const output = await printed()
  const steps = output.match(/migration \d+ of \d+/g) ?? []
  expect(steps[0]).toMatch(/^migration 1 of \d+$/)
  expect(steps.at(-1)).toBe(`migration ${steps.length} of ${steps.length}`)
  expect(output).toContain('Preparing the demo school')
  expect(visible(output)).toMatch(/^Schoolgate is ready: .*LOG_LEVEL=info to see every request\.\n$/s)
  expect(visible(output)).not.toMatch(/"level"|WARN|INFO/)
})

test('on a terminal, LOG_LEVEL brings the lines of the log, formatted for people, and LOG_FORMAT=json keeps them JSON', async () => {
  const pretty = visible(await printed({ LOG_LEVEL: 'info' }))
  expect(pretty).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: request \{.*"path":"\/api\/v1\/courses"/m)
  expect(pretty).not.toMatch(/^\{/m)
  expect(await printed({ LOG_FORMAT: 'json', LOG_LEVEL: 'fatal' })).not.toContain('\r')
})
