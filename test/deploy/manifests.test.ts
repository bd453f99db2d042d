import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readEnvironment, variables } from '../../src/config/environment.ts'
import { loadConfig } from '../../src/config/load.ts'
import { usableScopes } from '../../src/identity/apps/grantable.ts'
import { resources, scopeCatalogue } from '../../src/school/index.ts'

const root = resolve(import.meta.dirname, '../..')
const deploy = join(root, 'deploy')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const dockerfile = read('Dockerfile')

interface Named {
  name: string
  value?: string
}

interface Probe {
  httpGet: { path: string; port: string }
}

interface Container {
  image: string
  command?: string[]
  env: Named[]
  ports?: { name: string; containerPort: number }[]
  volumeMounts: (Named & { mountPath: string })[]
  securityContext: object
  resources: { limits: { memory: string } }
  startupProbe: Probe
  livenessProbe: Probe
  readinessProbe: Probe
}

interface Pod {
  containers: [Container]
  volumes: Named[]
  securityContext: object
  terminationGracePeriodSeconds?: number
}

interface Manifest {
  kind: string
  metadata: { name: string }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another form
  spec: any
}

const manifestsIn = (folder: string): Manifest[] => {
  const { resources: files } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as { resources: string[] }
  return files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => {
      expect(document.errors).toEqual([])
      return document.toJS() as Manifest
    }),
  )
}
const kubernetes = manifestsIn(join(deploy, 'kubernetes'))
const migration = manifestsIn(join(deploy, 'kubernetes/migration'))
const ofKind = (kind: string): Manifest => [...kubernetes, ...migration].find((one) => one.kind === kind) as Manifest
const pods: [string, Pod][] = [
  ['the deployment', ofKind('Deployment').spec.template.spec],
  ['the migration', ofKind('Job').spec.template.spec],
]

describe('Kubernetes', () => {
  test('every file of the folder is part of a kustomization', () => {
    const listed = (folder: string): string[] => {
      const { resources: files = [], configMapGenerator = [] } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as {
        resources?: string[]
        configMapGenerator?: { files: string[] }[]
      }
      return [...files, ...configMapGenerator.flatMap(({ files: named }) => named.map((one) => one.slice(one.indexOf('=') + 1)))]
    }
    const found = (folder: string): string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'kustomization.yaml')
        .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
        .filter((file) => !file.startsWith('migration/'))
    for (const folder of [join(deploy, 'kubernetes'), join(deploy, 'kubernetes/migration')])
      expect(found(folder).toSorted()).toEqual(listed(folder).toSorted())
  })

  test.each(pods)('%s sets only variables that the service knows, with values that it accepts', (_name, { containers: [container] }) => {
    for (const { name } of container.env) expect(Object.keys(variables)).toContain(name)
    const direct = container.env.filter(({ name }) => !name.endsWith('_FILE')).map(({ name, value }) => [name, value] as const)
    expect(() => readEnvironment(Object.fromEntries(direct))).not.toThrow()
  })

  test.each(pods)('%s runs without privileges, within limits, on a read-only file system', (_name, pod) => {
    const [container] = pod.containers
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.resources.limits.memory).toMatch(/^\d+Mi$/)
    const volumes = new Set(pod.volumes.map(({ name }) => name))
    for (const { name } of container.volumeMounts) expect(volumes).toContain(name)
    const mounted = container.volumeMounts.map(({ mountPath }) => mountPath)
    for (const { name, value } of container.env)
      if (name.endsWith('_FILE')) expect(mounted.some((path) => value?.startsWith(`${path}/`))).toBe(true)
  })

  test('the probes ask for paths of the private port, and the public service leads to the public port alone', () => {
    const [, { containers, terminationGracePeriodSeconds }] = pods[0] as [string, Pod]
    const ports = new Map(containers[0].ports?.map(({ name, containerPort }) => [name, String(containerPort)]))
    const env = new Map(containers[0].env.map(({ name, value }) => [name, value]))
    expect([ports.get('http'), ports.get('admin')]).toEqual([env.get('PORT'), env.get('ADMIN_PORT')])
    const admin = read('src/base/http/admin.ts')
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const { path, port } = containers[0][probe].httpGet
      expect([probe, port, admin.includes(`'${path}'`)]).toEqual([probe, 'admin', true])
    }
    const services = kubernetes.filter(({ kind }) => kind === 'Service')
    expect(services.map(({ metadata, spec }) => [metadata.name, spec.ports[0].targetPort])).toEqual([
      ['schoolgate', 'http'],
      ['schoolgate-admin', 'admin'],
    ])
    const { drain_seconds = 5, shutdown_seconds = 20 } = parse(read('deploy/kubernetes/config/server.yaml')) as Record<string, number>
    expect(terminationGracePeriodSeconds).toBeGreaterThan(drain_seconds + shutdown_seconds)
  })

  test('the autoscaler, the disruption budget and the network policy select the pods of the deployment', () => {
    const labels = ofKind('Deployment').spec.template.metadata.labels
    expect(ofKind('Deployment').spec.selector.matchLabels).toEqual(labels)
    expect(ofKind('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels)
    expect(ofKind('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels)
    expect(ofKind('HorizontalPodAutoscaler').spec).toMatchObject({
      minReplicas: 2,
      scaleTargetRef: { kind: 'Deployment', name: ofKind('Deployment').metadata.name },
    })
    expect(ofKind('Deployment').spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 })
    expect(ofKind('Deployment').spec.replicas).toBeUndefined()
  })

  test('the migration runs a command that the program has', () => {
    const [container] = (pods[1] as [string, Pod])[1].containers
    expect(container.command).toEqual(['node', 'src/operate/cli/main.mjs', 'migrate', 'up', '--while-serving'])
    expect(existsSync(join(root, 'src/operate/cli/main.mjs'))).toBe(true)
  })

  test('its configuration is one that the service accepts', () => {
    const directory = mkdtempSync(join(tmpdir(), 'schoolgate-kubernetes-'))
    cpSync(join(deploy, 'kubernetes/config'), directory, { recursive: true })
    const catalogue = scopeCatalogue(resources)
    const environment = readEnvironment({ SECRET_KEY: 'x'.repeat(40), DATABASE_URL: 'postgres://db/schoolgate' })
    const config = loadConfig({
      directory,
      environment,
      knownScopes: catalogue.map(({ name }) => name),
      usableScopes: usableScopes(catalogue),
      webhookTypes: [],
    })
    rmSync(directory, { recursive: true })
    expect(config.schools.map(({ slug, issuer }) => [slug, issuer])).toEqual([['school', 'https://school.example.com']])
  })
})

describe('Compose', () => {
  interface Service {
    image?: string
    environment?: Record<string, string>
    secrets?: string[]
    mem_limit: string
    cpus: number
    ports?: string[]
    read_only?: boolean
    healthcheck?: object
    restart: string
  }
  const { services, secrets } = parse(read('deploy/compose.yaml')) as {
    services: Record<string, Service>
    secrets: Record<string, { file: string }>
  }

  test('every service has limits, a health check and a pinned version, and publishes ports on this machine alone', () => {
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.mem_limit, service.cpus, service.restart]).toEqual([
        name,
        expect.stringMatching(/^\d+[mg]$/),
        expect.any(Number),
        'unless-stopped',
      ])
      expect([name, service.healthcheck !== undefined || dockerfile.includes('HEALTHCHECK')]).toEqual([name, true])
      if (service.image) expect(service.image).toMatch(/^[a-z]+:\d+\.\d+/)
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
    }
  })

  test('the health check of the service is that of the Dockerfile, which images in the OCI format do not have', () => {
    const { test: command = [], ...times } = (services.schoolgate?.healthcheck ?? {}) as { test?: string[] }
    const [, options = '', check = ''] = /^HEALTHCHECK (.*) \\\n {2}CMD (.*)$/m.exec(dockerfile) ?? []
    expect(command).toEqual(['CMD', ...JSON.parse(check)])
    expect(options.split(' ')).toEqual(Object.entries(times).map(([name, value]) => `--${name.replace('_', '-')}=${value}`))
  })

  test('secrets come from files alone, each of which the script creates', () => {
    const script = read('deploy/makeSecrets.sh')
    for (const [name, { environment = {}, secrets: own = [] }] of Object.entries(services)) {
      for (const [variable, value] of Object.entries(environment)) {
        if (name === 'schoolgate') expect(Object.keys(variables)).toContain(variable)
        if (variable.endsWith('_FILE')) expect(own).toContain(value.replace('/run/secrets/', ''))
        else expect(value).not.toMatch(/:[^/]*@/)
      }
      for (const secret of own)
        expect([secret, secrets[secret]?.file, script.includes(`put ${secret} `)]).toEqual([secret, `secrets/${secret}`, true])
    }
    expect(read('.gitignore')).toContain('deploy/secrets/')
  })
})
