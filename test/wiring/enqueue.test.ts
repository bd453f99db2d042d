import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createBackgroundTasks } from '../../src/lib/backgroundTasks.ts'
import { createLog } from '../../src/lib/log.ts'
import { createEnqueue } from '../../src/wiring/enqueue.ts'
import { sendInBackground } from '../../src/wiring/sendInBackground.ts'

const school = { id: 's', slug: 'lanternfield', issuer: 'https://school.example' }
const to = { email: 'person@example.com', locales: [] }

test('work that cannot be taken on is dropped and logged by its name, without what it was about', async () => {
  const lines: string[] = []
  const log = createLog('info', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }))
  const backgroundTasks = createBackgroundTasks({ log, concurrency: 1, waiting: 1 })
  const done: string[] = []
  const enqueue = createEnqueue({ backgroundTasks, log })
  const send = sendInBackground({ email: async (_school, { email }) => void done.push(email), enqueue })
  enqueue('notice', async () => void done.push('notice'))
  enqueue('another notice', async () => void done.push('another'))
  await send(school, to, 'password_changed', { reset: 'https://school.example/account/password' })
  await backgroundTasks.drained()
  expect(done).toEqual(['notice'])
  const dropped = lines.map((line) => JSON.parse(line)).map(({ task, school, msg }) => [task, school, msg])
  expect(dropped).toEqual([
    ['another notice', undefined, 'background queue full, task dropped'],
    ['message password_changed', 'lanternfield', 'background queue full, task dropped'],
  ])
  expect(lines.join('')).not.toContain('person@example.com')
})
