import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, runIn } from './podman.ts'

interface Inspected {
  Config: {
    User: string
    Labels: Record<string, string>
    ExposedPorts: Record<string, object>
    Volumes: Record<string, object>
    Env: string[]
  }
  HealthCheck?: { Test: string[] }
  Healthcheck?: { Test: string[] }
  Size: number
}

/** Checks what the image has: the user, labels, commands, the bill of materials; and what it must not have. */
export async function checkContents(image: string, root: string, say: (text: string) => void): Promise<void> {
  const [found] = JSON.parse(await run('podman', ['image', 'inspect', image])) as [Inspected]
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  const { Config, Size } = found
  equal(Config.User, 'node')
  equal(Config.Labels['org.opencontainers.image.version'], version)
  match(Config.Labels['org.opencontainers.image.revision'] ?? '', /^[0-9a-f]{40}$/)
  deepEqual(Object.keys(Config.ExposedPorts).toSorted(), ['3000/tcp', '9464/tcp'])
  deepEqual(Object.keys(Config.Volumes), ['/data'])
  deepEqual((found.HealthCheck ?? found.Healthcheck)?.Test, ['CMD', 'schoolgate-health'])
  equal((await runIn(image, ['schoolgate', '--version'])).trim(), version)
  match(await runIn(image, ['id']), /uid=1000/)
  const bill = JSON.parse(await runIn(image, ['cat', '/app/sbom.cdx.json'])) as {
    bomFormat: string
    components: { name: string; version: string }[]
  }
  equal(bill.bomFormat, 'CycloneDX')
  const script = `const { createRequire } = require('node:module'); const { readFileSync } = require('node:fs')
    const { components } = JSON.parse(readFileSync('/app/sbom.cdx.json', 'utf8'))
    for (const { group, name, version } of components) {
      const path = '/app/node_modules/' + (group ? group + '/' : '') + name + '/package.json'
      try { if (JSON.parse(readFileSync(path, 'utf8')).version === version) console.log('same') } catch {}
    }`
  const same = (await runIn(image, ['node', '--eval', script])).split('\n').filter((line) => line === 'same').length
  // Some packages are below others, in a second version.
  ok(same > bill.components.length * 0.8, `${same} of ${bill.components.length} packages of the bill of materials are where they belong`)
  equal((await runIn(image, ['sh', '-c', 'find /app -writable -not -path "/app/compile-cache*" | head -n 1'])).trim(), '')
  equal(
    (await runIn(image, ['sh', '-c', 'ls /app/.env /app/.git /app/test /app/deploy /app/node_modules/vitest 2> /dev/null || true'])).trim(),
    '',
  )
  say(`contents: version ${version}, ${bill.components.length} packages, ${Math.round(Size / 1e6)} MB with its base`)
}
