import { createHash } from 'node:crypto'
import { createAgent, personCalled } from '../../support/agent.ts'
import { type ServiceOptions, startService, type TestService } from '../../support/service.ts'

/** The smallest PNG there is: one pixel. */
export const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
export const gif = Buffer.from('R0lGODlhAQABAAAAACw=', 'base64')

/** A PDF as far as its first bytes go, of this length. */
export const pdf = (bytes: number): Buffer => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 7)])

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export interface Reply {
  status: number
  headers: Headers
  bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  json: any
}

export interface StorageService extends TestService {
  /** Returns a token of this person with storage:write, created on first use. */
  call(email: string, path: string, init?: RequestInit): Promise<Reply>
  announce(email: string, announced: object): Promise<Reply>
  /** Sends bytes to the address of an upload. */
  put(upload: Reply, bytes: Uint8Array, headers?: Record<string, string>): Promise<Reply>
  form(email: string, fields: Record<string, string>, file?: { bytes: Uint8Array; name: string; type: string }): Promise<Reply>
  /** Announces and sends. */
  bring(email: string, bytes: Uint8Array, announced: object): Promise<Reply>
}

export const [owner, lecturer, learner, other] = ['owner@example.com', 'lecturer@example.com', 'learner@example.com', 'other@example.com']

/** Starts the whole service with an owner, a lecturer and two learners, who grant a client storage:write. */
export async function startStorage(options: ServiceOptions = {}): Promise<StorageService> {
  const service = await startService(options)
  const tokens = new Map<string, string>()
  for (const [email, role] of Object.entries({
    [owner]: 'owner',
    [lecturer]: 'lecturer',
    [learner]: 'learner',
    [other]: 'learner',
  } as const)) {
    await service.addPerson({ email, role })
    const agent = await createAgent(service.issuer)
    const scope = role === 'learner' ? 'storage:write' : 'storage:write courses:read courses:write'
    const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
    tokens.set(email, body.access_token)
  }
  const call: StorageService['call'] = async (email, path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${tokens.get(email)}`)
    return await request(path.startsWith('http') ? path : `${service.issuer}/api/v1/${path}`, { ...init, headers })
  }
  const put: StorageService['put'] = (upload, bytes, headers = {}) =>
    request(upload.json.upload.url, { method: 'PUT', body: new Uint8Array(bytes), headers: { ...upload.json.upload.headers, ...headers } })
  const announce: StorageService['announce'] = (email, announced) =>
    call(email, 'storage/uploads', { method: 'POST', body: JSON.stringify(announced), headers: { 'content-type': 'application/json' } })
  return {
    ...service,
    get app() {
      return service.app
    },
    call,
    announce,
    put,
    async form(email, fields, file) {
      const body = new FormData()
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      if (file) body.set('file', new Blob([new Uint8Array(file.bytes)], { type: file.type }), file.name)
      return await call(email, 'storage/files', { method: 'POST', body })
    },
    async bring(email, bytes, announced) {
      return await put(await announce(email, { byte_size: bytes.length, ...announced }), bytes)
    },
  }
}

/** One request, with its answer read. */
export async function request(url: string, init?: RequestInit): Promise<Reply> {
  const response = await fetch(url, init)
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: response.status, headers: response.headers, bytes, json: isJson ? JSON.parse(bytes.toString()) : undefined }
}
