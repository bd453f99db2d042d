import type { IncomingMessage } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { addressReader } from '../../src/base/http/tenant.ts'
import { validateHint } from '../../src/identity/oidc/idTokenHints.ts'
import { nested, testGrowth, texts } from './growth.ts'
import { defineCase, type ParserCase } from './inputCosts.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64url')
const header = base64('{"alg":"RS256","kid":"key"}')
/** A hint with this payload. Everybody can send it: it is read before its signature is found to be wrong. */
const hintOf = (payload: string): string => `${header}.${base64(payload)}.${base64('a signature')}`

const { privateKey } = await generateKeyPair('RS256', { extractable: true })
const signingKey = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'key' }
const engine = new Provider('http://127.0.0.1', {
  jwks: { keys: [signingKey] },
  clients: [{ client_id: 'app', redirect_uris: ['https://app.example/'], token_endpoint_auth_method: 'none' }],
  features: { devInteractions: { enabled: false } },
})
engine.IdToken.validate = validateHint({ issuer: 'http://127.0.0.1', keys: [signingKey], findRetiredKey: async () => undefined })
const client = await engine.Client.find('app')
if (!client) throw new Error('the engine does not have its client')

/** Reads a hint as the service does. All of these are rejected. */
const readHint = (hint: string): Promise<string> =>
  engine.IdToken.validate(hint, client).then(
    () => 'accepted',
    (error: Error) => error.message,
  )

/** The longest message of an error about a hint, in characters: it does not repeat the hint. */
const maxOutput = 200

const hints: readonly ParserCase[] = [
  ...(
    [
      ['length of a text', (n) => hintOf(JSON.stringify({ sub: 'a'.repeat(n) }))],
      ['number of members', (n) => hintOf(`{${Array.from({ length: n }, (_, index) => `"a${index}":1`).join()}}`)],
      ['repeated members', (n) => hintOf(`{${'"a":1,'.repeat(n)}"a":1}`)],
      ['number of audiences', (n) => hintOf(JSON.stringify({ aud: Array(n).fill('another app') }))],
      ['depth of lists', (n) => hintOf(`{"a":${nested('[', ']')(n)}}`)],
      ['depth of objects', (n) => hintOf(`${'{"a":'.repeat(n)}1${'}'.repeat(n)}`)],
      ['an unfinished payload', (n) => hintOf('{"a":['.repeat(n))],
      ['digits of a number', (n) => hintOf(`{"exp":${'1'.repeat(n)}}`)],
      ['depth of the header', (n) => `${base64(`{"alg":"RS256","kid":"key","a":${nested('[', ']')(n)}}`)}.${base64('{}')}.a`],
      ['length of the signature', (n) => `${header}.${base64('{"sub":"a"}')}.${'a'.repeat(n)}`],
      ['number of parts', (n) => `${header}.`.repeat(n)],
      ['text that is not base64', (n) => `${header}.${'%'.repeat(n)}.a`],
    ] as [string, (n: number) => string][]
  ).map(([grows, input]) => defineCase({ parser: 'id_token_hint', grows, size: 20_000, input, parse: readHint, maxOutput })),
  ...texts('id_token_hint, text', readHint).map((one) => ({ ...one, maxOutput })),
]

/** Reads the address of a caller behind these proxies. */
const addressBehind =
  (proxies: readonly string[]) =>
  (forwarded: string): string =>
    addressReader(proxies)({
      headers: { 'x-forwarded-for': forwarded },
      socket: { remoteAddress: '127.0.0.1' },
    } as unknown as IncomingMessage)

const forwardedFor: readonly ParserCase[] = [
  ['loopback'],
  ['0.0.0.0/1', '128.0.0.0/1', '::/1'],
  Array.from({ length: 20 }, (_, index) => `10.${index}.0.0/16`).concat('loopback'),
].flatMap((proxies) => {
  const parser = `X-Forwarded-For behind ${proxies.length} ${proxies[0]}`
  const parse = addressBehind(proxies)
  const addresses = [
    '127.0.0.1, ',
    '127.0.0.1,,',
    '::1,',
    '::ffff:127.0.0.1,',
    '10.3.0.1,127.0.0.1,',
    '::1%lo',
    '1.2.3.4:',
    '[::1]:80,',
    '::',
  ]
  const ofAddresses = addresses.map((piece) =>
    defineCase({ parser, grows: JSON.stringify(piece), size: 2000, input: (count) => piece.repeat(count), parse }),
  )
  // The output goes to the log, the audit trail and the keys of rate limits.
  return [...ofAddresses, ...texts(parser, parse)].map((one) => ({ ...one, maxOutput: 55 }))
})

testGrowth([...hints, ...forwardedFor])
