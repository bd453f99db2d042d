import { createHmac } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSame } from '../../base/keyring.ts'
import { objectOf } from '../../base/text/jsonValue.ts'

/** Where a running service takes the operator's commands, and the key that proves access to the data directory. */
export interface OperatorEndpoint {
  /** Origin of the private port: `http://127.0.0.1:9464`. */
  url: string
  /** 256 random bits in base64url, made at every start. */
  key: string
}

export const operatorPaths = {
  identity: '/operator/v1/identity',
  commands: '/operator/v1/commands',
} as const

const fileIn = (dataDirectory: string): string => join(dataDirectory, 'operator.json')

/** Writes the endpoint to the data directory, readable by the owner only. Returns a function that removes it. */
export function publishEndpoint(dataDirectory: string, endpoint: OperatorEndpoint): () => void {
  const path = fileIn(dataDirectory)
  // A new file in place of an earlier one, so that no reader sees a part of it and no earlier permission stays.
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(endpoint)}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
  return () => {
    if (readEndpoint(dataDirectory)?.key === endpoint.key) rmSync(path, { force: true })
  }
}

/** Returns the endpoint in the data directory; undefined if there is none. It may be of a service that has ended. */
export function readEndpoint(dataDirectory: string): OperatorEndpoint | undefined {
  try {
    const { url, key } = objectOf(JSON.parse(readFileSync(fileIn(dataDirectory), 'utf8')))
    return typeof url === 'string' && typeof key === 'string' ? { url, key } : undefined
  } catch {
    return undefined
  }
}

/** Returns what proves knowledge of the key for a nonce, without revealing the key. */
export const proofOf = (key: string, nonce: string): string => createHmac('sha256', key).update(`identity ${nonce}`).digest('base64url')

export const isProof = (key: string, nonce: string, proof: string): boolean => isSame(proofOf(key, nonce), proof)

/** Returns the origin under which this machine reaches a port that listens on an address. */
export function localOrigin(address: string, port: number): string {
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
