import { parseJson } from '../../base/text/parseJson.ts'

/** The answer of `navigator.credentials.create` or `get`, as `toJSON()` returns it. Its texts are base64url and not verified. */
export interface PasskeyResponse {
  id: string
  rawId: string
  type: 'public-key'
  clientExtensionResults: Record<string, never>
  response: { clientDataJSON: string } & { [Member in 'authenticatorData' | 'signature' | 'userHandle' | 'attestationObject']?: string }
  transports: string[]
}

/** The longest accepted answer. An RSA credential without attestation takes about 2,000 characters. */
const maxCharacters = 8000
const longestText = 6000
const knownTransports = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])
const optional = ['authenticatorData', 'signature', 'userHandle', 'attestationObject'] as const

/** Returns the answer that a form contains with the members that are known; undefined if it is too long or malformed. */
export function parsePasskeyResponse(text: string | null): PasskeyResponse | undefined {
  if (!text || text.length > maxCharacters) return undefined
  const parsed = parseObject(text)
  const response = parsed && objectOf(parsed.response)
  const clientDataJSON = response?.clientDataJSON
  if (!parsed || !response || !isBase64url(clientDataJSON)) return undefined
  if (parsed.type !== 'public-key' || !isBase64url(parsed.id) || parsed.rawId !== parsed.id) return undefined
  const transports = Array.isArray(response.transports) ? response.transports : []
  return {
    id: parsed.id,
    rawId: parsed.id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON,
      ...Object.fromEntries(optional.flatMap((name) => (isBase64url(response[name]) ? [[name, response[name]]] : []))),
    },
    transports: [...knownTransports].filter((name) => transports.includes(name)),
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return objectOf(parseJson(text))
  } catch {
    return undefined
  }
}

const objectOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

const isBase64url = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= longestText && /^[\w-]+$/.test(value)
