import { resolve } from 'node:path'
import { startDirectus } from './directus.ts'
import { startGlewlwyd } from './glewlwyd.ts'
import type { Operations } from './operations.ts'
import type { Target, Targets } from './targets.ts'

export interface Measurable extends Target {
  operations: Operations
}

export interface PeerArguments {
  targets: Targets
  /** The folder in which the peer is installed. */
  folder: string
  /** The service, and a token of its owner. */
  own: Target
  token: string
  scale: number
  say(line: string): void
}

const starts = { directus: startDirectus, glewlwyd: startGlewlwyd } as const

export type PeerName = keyof typeof starts

export const isPeer = (name: string): name is PeerName => Object.hasOwn(starts, name)

/** Starts the peers that are not part of every run. One that cannot be installed here is left out with a message. */
export async function startPeers(names: readonly PeerName[], args: Omit<PeerArguments, 'folder'>): Promise<Measurable[]> {
  const started: Measurable[] = []
  for (const name of names) {
    const folder = resolve(import.meta.dirname, `../peers/node_modules/.${name}`)
    const peer = await starts[name]({ ...args, folder })
    if (peer) started.push(peer)
    else args.say(`${name} cannot be installed here and is left out`)
  }
  return started
}
