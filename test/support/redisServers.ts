/** Redis in the forms of more than one machine, on loopback: a cluster, and a primary with a replica that sentinels watch. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { until } from './poll.ts'
import { freePort } from './process.ts'

interface Node {
  port: number
  client: Redis
  /** Ends the process without a chance to say goodbye. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const volatile = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--loglevel', 'warning']

async function startNode(directory: string, port: number, options: string[], file?: string): Promise<Node> {
  const args = [...(file === undefined ? [] : [file]), '--port', String(port), '--dir', directory, ...options]
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  const endWithTests = (): void => void child.kill('SIGKILL')
  process.once('exit', endWithTests)
  child.once('exit', () => process.off('exit', endWithTests))
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50, maxRetriesPerRequest: null })
  client.on('error', () => undefined)
  await until(async () => (await client.ping()) === 'PONG', { what: 'the Redis node to respond' })
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    client.disconnect()
    await endOf(child, signal)
  }
  return { port, client, kill: () => end('SIGKILL'), stop: () => end('SIGKILL') }
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

export interface RedisCluster {
  url: string
  /** The nodes that own slots, in the order of their slots. */
  masters: readonly Node[]
  replicas: readonly Node[]
  /** Returns the node that owns the key. */
  ownerOf(key: string): Promise<Node>
  stop(): Promise<void>
}

const slots = 16_384

/** Starts a Redis Cluster of three masters, each with as many replicas as given. */
export async function startRedisCluster({ replicasOfEach = 0 }: { replicasOfEach?: 0 | 1 } = {}): Promise<RedisCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-redis-'))
  const start = async (): Promise<Node & { bus: number }> => {
    const [port, bus] = [await freePort(), await freePort()]
    const options = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-config-file', `nodes-${port}.conf`]
    const failOver = ['--cluster-node-timeout', '2000', '--cluster-replica-validity-factor', '0']
    return { ...(await startNode(directory, port, [...options, ...failOver, ...volatile])), bus }
  }
  const masters = await Promise.all([start(), start(), start()])
  const replicas = replicasOfEach === 0 ? [] : await Promise.all([start(), start(), start()])
  const all = [...masters, ...replicas]
  const share = Math.ceil(slots / masters.length)
  await Promise.all(masters.map(({ client }, at) => client.cluster('ADDSLOTSRANGE', at * share, Math.min(slots, (at + 1) * share) - 1)))
  const [first] = masters
  if (!first) throw new Error('no node')
  for (const [at, { client }] of all.entries()) await client.call('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1))
  for (const node of all.slice(1)) await first.client.call('CLUSTER', 'MEET', '127.0.0.1', String(node.port), String(node.bus))
  const infoOf = async ({ client }: Node): Promise<string> => String(await client.cluster('INFO'))
  const isWhole = async (): Promise<boolean> =>
    (await Promise.all(all.map(infoOf))).every((info) => info.includes(`cluster_known_nodes:${all.length}\r`))
  await until(isWhole, { what: 'all nodes to know each other' })
  for (const [at, { client }] of replicas.entries()) {
    await client.call('CLUSTER', 'REPLICATE', String(await masters[at]?.client.call('CLUSTER', 'MYID')))
  }
  const isReady = async (): Promise<boolean> => {
    const infos = await Promise.all(all.map(infoOf))
    const replications = await Promise.all(replicas.map(({ client }) => client.info('replication')))
    return infos.every((info) => info.includes('cluster_state:ok')) && replications.every((info) => info.includes('master_link_status:up'))
  }
  await until(isReady, { what: 'the cluster to be ready' })
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters,
    replicas,
    async ownerOf(key) {
      const slot = Number(await first.client.cluster('KEYSLOT', key))
      return masters[Math.floor(slot / share)] as Node
    },
    async stop() {
      await Promise.all(all.map((node) => node.stop()))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export interface SentinelRedis {
  url: string
  /** Address of the node that the sentinels name as the primary. */
  primaryPort(): Promise<number>
  /** Nodes of data; the first one is the primary at the start. */
  nodes: readonly Node[]
  /** Waits until the replica has everything, and lets later writes of the primary be lost. */
  stopReplication(): Promise<void>
  /** Kills the primary, and returns when the replica has been promoted. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

/** The name under which the sentinels watch the primary. */
const master = 'school'

/** Starts a primary, a replica and three sentinels. */
export async function startSentinelRedis(): Promise<SentinelRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-sentinel-'))
  const [onePort, twoPort] = [await freePort(), await freePort()]
  const replication = ['--repl-diskless-sync-delay', '0']
  const primary = await startNode(directory, onePort, [...volatile, ...replication])
  const replica = await startNode(directory, twoPort, [...volatile, ...replication, '--replicaof', `127.0.0.1 ${onePort}`])
  const isInSync = async (): Promise<boolean> => (await replica.client.info('replication')).includes('master_link_status:up')
  await until(isInSync, { what: 'the replica to be in sync' })
  const sentinels: Node[] = []
  for (let at = 0; at < 3; at += 1) {
    const port = await freePort()
    const file = join(directory, `sentinel-${at}.conf`)
    const watch = [
      `sentinel monitor ${master} 127.0.0.1 ${onePort} 2`,
      `sentinel down-after-milliseconds ${master} 1000`,
      `sentinel failover-timeout ${master} 5000`,
    ]
    await writeFile(file, watch.join('\n'))
    sentinels.push(await startNode(directory, port, ['--sentinel', '--bind', '127.0.0.1', '--loglevel', 'warning'], file))
  }
  const primaryPort = async (): Promise<number> => {
    const address = await sentinels[0]?.client.call('SENTINEL', 'get-master-addr-by-name', master)
    return Number((address as string[])[1])
  }
  const knowEachOther = async (): Promise<boolean> => {
    const states = await Promise.all(sentinels.map(({ client }) => client.call('SENTINEL', 'master', master)))
    return states.every((state) => {
      const fields = state as string[]
      return fields[fields.indexOf('num-other-sentinels') + 1] === '2' && fields[fields.indexOf('num-slaves') + 1] === '1'
    })
  }
  await until(knowEachOther, { what: 'the sentinels to know each other' })
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}?master=${master}`,
    primaryPort,
    nodes: [primary, replica],
    async stopReplication() {
      await until(async () => Number(await primary.client.wait(1, 1000)) === 1, { what: 'the replica to have everything' })
      // No server listens there. The sentinels would correct it after some seconds.
      await replica.client.replicaof('127.0.0.1', 1)
    },
    async failOver() {
      await primary.kill()
      await until(async () => (await primaryPort()) === twoPort, { what: 'the sentinels to name the replica' })
      const isPrimary = async (): Promise<boolean> => (await replica.client.info('replication')).includes('role:master')
      await until(isPrimary, { what: 'the replica to be promoted' })
    },
    async stop() {
      await Promise.all([...sentinels, primary, replica].map((node) => node.stop()))
      await rm(directory, { recursive: true, force: true })
    },
  }
}
