import { equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createAgent, get, personCalled, withToken } from '../../test/support/agent.ts'
import { until } from '../../test/support/poll.ts'
import { freePort } from '../../test/support/process.ts'
import { password } from '../../test/support/service.ts'
import { type Container, run, startContainer, succeeds } from './podman.ts'

export interface Life {
  image: string
  name: string
  environment: Record<string, string>
  say(text: string): void
}

const megabytes = (bytes: number | undefined): string => (bytes === undefined ? 'unknown' : `${Math.round(bytes / 1e6)} MB`)

/** First start, health check, doctor, a whole sign-in, SIGTERM, and a second start that knows the grant. */
export async function runLife({ image, name, environment, say }: Life): Promise<void> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const issuer = `http://127.0.0.1:${port}`
  const id = `schoolgate-test-${randomBytes(4).toString('hex')}`
  const variables = {
    ...environment,
    BASE_URL: issuer,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    SECRET_KEY: randomBytes(48).toString('base64'),
    DEMO_PASSWORD: password,
  }
  await run('podman', ['volume', 'create', id])
  const containers: Container[] = []
  /** Starts a container and returns it when it is ready, with the seconds that it took. */
  const start = async (): Promise<{ container: Container; seconds: number }> => {
    const began = performance.now()
    const container = await startContainer(image, `${id}-${containers.length}`, id, variables)
    containers.push(container)
    await until(async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok, {
      what: 'the container to be ready',
      deadlineMs: 180_000,
    }).catch((error) => {
      throw new Error(`${error.message}\n${container.log().slice(-3000)}`, { cause: error })
    })
    return { container, seconds: (performance.now() - began) / 1000 }
  }
  const stop = async (container: Container): Promise<string> => {
    const memory = megabytes(await container.peakMemory())
    equal(await container.inspect('{{.State.OOMKilled}}'), 'false')
    const { code, ms } = await container.stop()
    equal(code, 0, `exit code after SIGTERM\n${container.log().slice(-3000)}`)
    ok(ms < 30_000, `stopped after ${ms} ms`)
    for (const line of container.log().split('\n')) ok(!/"level":(?:50|60)/.test(line), line)
    return `stopped in ${(ms / 1000).toFixed(1)} s, at most ${memory}`
  }
  try {
    const first = await start()
    say(`${name}: first start ready after ${first.seconds.toFixed(1)} s`)
    await run('podman', ['healthcheck', 'run', `${id}-0`])
    await first.container.exec('schoolgate-health')
    const report = await first.container.exec('schoolgate', 'doctor', '--base-url', issuer)
    match(report, /sign/i)
    const agent = await createAgent(issuer)
    const { status, body } = await agent.tokens(personCalled('learner001@example.org'))
    equal(status, 200, JSON.stringify(body))
    equal((await withToken(`${issuer}/api/v1/account`, body.access_token)).status, 200)
    equal((await get(`${issuer}/api/v1/courses`)).status, 200)
    say(`${name}: healthy, doctor and sign-in passed; ${await stop(first.container)}`)

    const second = await start()
    const { status: refreshed, body: tokens } = await agent.refresh(body.refresh_token)
    equal(refreshed, 200, JSON.stringify(tokens))
    equal((await withToken(`${issuer}/api/v1/account`, tokens.access_token)).status, 200)
    say(`${name}: second start ready after ${second.seconds.toFixed(1)} s, knows the grant; ${await stop(second.container)}`)
  } finally {
    for (const container of containers) await container.remove()
    await succeeds('podman', ['volume', 'rm', '--force', id])
  }
}
