import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listConfigDirectory } from '../../src/config/configDirectory.ts'
import { complaint, configFolder, type Files, temporaryFolder } from './configFolder.ts'

const school = 'issuer: https://a.example.com\n'
const secret = { SECRET_KEY: 's'.repeat(32) }
const hash = `sha256:${'A'.repeat(43)}`
const integration = (...lines: string[]): Files => ({
  'schools/demo.yaml': ['integrations:', '  - client_id: sync', ...lines.map((line) => `    ${line}`)].join('\n'),
})
const proper = ['client_name: Sync', 'redirect_uris: [https://sync.example.com/callback]']
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x]',
  ...'bcdef'.split('').map((name, index) => `${name}: &${name} [${Array(8).fill(`*${'abcde'[index]}`).join(', ')}]`),
].join('\n')

/** A name, the files, and the whole message. */
type WrongFile = [name: string, files: Files, message: string, variables?: Record<string, string>]

const wrong: WrongFile[] = [
  [
    'a misspelt key in a section',
    { 'oauth.yaml': 'lifetimes:\n  acces_token_seconds: 60\n' },
    'config/oauth.yaml:2  lifetimes.acces_token_seconds  is not a known key; did you mean access_token_seconds?',
  ],
  [
    'a misspelt section',
    { 'oauth.yaml': '# hello\n\nlifetime: {}\n' },
    'config/oauth.yaml:3  lifetime  is not a known key; did you mean lifetimes?',
  ],
  [
    'a key in the wrong section',
    { 'oauth.yaml': 'grant_days: 30\n' },
    'config/oauth.yaml:1  grant_days  is not a known key; did you mean lifetimes.grant_days?',
  ],
  ['a key that is near to nothing', { 'server.yaml': 'wibble: 1\n' }, 'config/server.yaml:1  wibble  is not a known key'],
  ['a key that hides control characters', { 'server.yaml': '"a\\e[31m": 1\n' }, "config/server.yaml:1  'a?[31m'  is not a known key"],
  [
    'a key that means something to JavaScript',
    { 'server.yaml': '__proto__: {cors: 1}\n' },
    'config/server.yaml:1  __proto__  is not a known key',
  ],
  ['a merge key', { 'server.yaml': '<<: {shutdown_seconds: 5}\n' }, "config/server.yaml:1  '<<'  is not a known key"],
  [
    'text for a number',
    { 'server.yaml': 'shutdown_seconds: 20s\n' },
    'config/server.yaml:1  shutdown_seconds  must be a whole number from 1 to 300, not text',
  ],
  [
    'a fraction for a whole number',
    { 'server.yaml': 'shutdown_seconds: 1.5\n' },
    'config/server.yaml:1  shutdown_seconds  must be a whole number from 1 to 300',
  ],
  [
    'a number out of range',
    { 'server.yaml': 'shutdown_seconds: 301\n' },
    'config/server.yaml:1  shutdown_seconds  must be a whole number from 1 to 300',
  ],
  [
    'infinity',
    { 'server.yaml': 'shutdown_seconds: .inf\n' },
    'config/server.yaml:1  shutdown_seconds  must be a whole number from 1 to 300',
  ],
  [
    'a number out of range that may be a fraction',
    { 'server.yaml': 'tracing: {sample_ratio: 2}\n' },
    'config/server.yaml:1  tracing.sample_ratio  must be a number from 0 to 1',
  ],
  [
    'a valid number that is less than another key requires',
    { 'server.yaml': 'audit:\n  days: 800\n  security_days: 30\n' },
    'config/server.yaml:3  audit.security_days  must be at least days',
  ],
  ['yes for true', { 'oauth.yaml': 'require_state: yes\n' }, 'config/oauth.yaml:1  require_state  must be true or false, not text'],
  ['a list for a section', { 'server.yaml': 'cors: ["*"]\n' }, 'config/server.yaml:1  cors  must be a mapping, not a list'],
  [
    'an empty value for a list',
    { 'server.yaml': 'cors:\n  allowed_origins:\n' },
    'config/server.yaml:2  cors.allowed_origins  must be a list of at most 100, each an origin such as https://app.example.com, or *, not empty',
  ],
  [
    'a number for a name',
    integration('client_name: 12', proper[1] as string),
    'config/schools/demo.yaml:3  integrations[0].client_name  must be text of 1 to 80 characters, not a number: put it in quotes',
  ],
  [
    'a misspelt word in place of a rule about second factors',
    { 'schools/demo.yaml': 'second_step: optonal\n' },
    'config/schools/demo.yaml:1  second_step  must be off or optional, or a mapping; did you mean optional?',
  ],
  [
    'a misspelt key in the rule about second factors',
    { 'schools/demo.yaml': 'second_step:\n  required_for: [owner]\n  required_fro: [admin]\n' },
    'config/schools/demo.yaml:3  second_step.required_fro  is not a known key; did you mean required_for?',
  ],
  [
    'an unknown role in the rule about second factors',
    { 'schools/demo.yaml': 'second_step:\n  required_for: [owner, admn]\n' },
    'config/schools/demo.yaml:2  second_step.required_for[1]  must be owner, admin, lecturer or learner; did you mean admin?',
  ],
  [
    'a role that is listed twice',
    { 'schools/demo.yaml': 'second_step: { required_for: [owner, owner] }\n' },
    'config/schools/demo.yaml:1  second_step.required_for[1]  is a duplicate: remove one',
  ],
  ['a list for a file', { 'roles.yaml': '- owner\n' }, 'config/roles.yaml:1  must be a mapping, not a list'],
  ['a text for a file', { 'roles.yaml': 'owner\n' }, 'config/roles.yaml:1  must be a mapping, not text'],
  [
    'a second document',
    { 'server.yaml': 'shutdown_seconds: 5\n---\nshutdown_seconds: 6\n' },
    'config/server.yaml:2  contains a second document: remove the line with ---',
  ],
  ['a tab', { 'server.yaml': 'cors:\n\tallowed_origins: ["*"]\n' }, 'config/server.yaml:2  is indented with a tab: use spaces'],
  [
    'a bracket that is not closed',
    { 'server.yaml': 'trusted_proxies: [loopback\n' },
    'config/server.yaml:2  is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['a quote that is not closed', { 'server.yaml': 'a: "x\n' }, 'config/server.yaml:2  is not valid YAML: Missing closing "quote'],
  [
    'a key twice',
    { 'server.yaml': 'shutdown_seconds: 5\ncors: {}\nshutdown_seconds: 6\n' },
    'config/server.yaml:3  shutdown_seconds  is a duplicate of line 1: remove one',
  ],
  [
    'a number for a key',
    { 'server.yaml': 'cors:\n  5: x\n' },
    'config/server.yaml:2  cors  has a key that is not text (5): put it in quotes',
  ],
  ['a list for a key', { 'server.yaml': '? [a]\n: 1\n' }, 'config/server.yaml:1  has a key that is not text: put it in quotes'],
  [
    'a tag',
    { 'server.yaml': 'shutdown_seconds: !seconds 5\n' },
    'config/server.yaml:1  has a tag, which is not supported: remove the word that begins with !',
  ],
  [
    'an alias without an anchor',
    { 'server.yaml': 'shutdown_seconds: *nowhere\n' },
    'config/server.yaml:1  shutdown_seconds  refers to an anchor that is not defined above it',
  ],
  [
    'an alias within what it names',
    { 'server.yaml': 'cors: &again\n  allowed_origins: *again\n' },
    'config/server.yaml:2  cors.allowed_origins  must not be nested deeper than 20 levels',
  ],
  ['a text that is not UTF-8', { 'server.yaml': Buffer.from([0x61, 0x3a, 0x20, 0xff]) }, 'config/server.yaml  must be text in UTF-8'],
  ['a file that is too large', { 'server.yaml': `#${'x'.repeat(262_144)}` }, 'config/server.yaml  must have at most 262144 bytes'],
  ['an unknown file', { 'sever.yaml': '' }, 'config/sever.yaml  is not a known file; did you mean server.yaml?'],
  ['the other ending', { 'oauth.yml': '' }, 'config/oauth.yml  is not a known file; did you mean oauth.yaml?'],
  [
    'a school whose file name is not a slug',
    { 'schools/My_School.yaml': '' },
    'config/schools/My_School.yaml  is not a school: its name must be <slug>.yaml, the slug of at most 63 letters a-z, digits and single words joined by -',
  ],
  [
    'a network of everybody',
    { 'server.yaml': 'trusted_proxies:\n  - loopback\n  - 0.0.0.0/0\n' },
    'config/server.yaml:3  trusted_proxies[1]  must be an IP address, a network such as 10.0.0.0/8, or loopback',
  ],
  [
    'a network too narrow',
    { 'server.yaml': 'trusted_proxies: [10.0.0.0/33]\n' },
    'config/server.yaml:1  trusted_proxies[0]  must be an IP address, a network such as 10.0.0.0/8, or loopback',
  ],
  [
    '* among origins',
    { 'server.yaml': 'cors:\n  allowed_origins: ["*", https://a.example.com]\n' },
    'config/server.yaml:2  cors.allowed_origins  must not contain other origins next to *: remove them, or remove *',
  ],
  [
    'an origin with a path',
    { 'server.yaml': 'cors:\n  allowed_origins: [https://a.example.com/]\n' },
    'config/server.yaml:2  cors.allowed_origins[0]  must be an origin such as https://app.example.com, or *',
  ],
  [
    'a host that is not loopback',
    { 'oauth.yaml': 'registration:\n  loopback_hosts: [127.0.0.1, localhos]\n' },
    'config/oauth.yaml:2  registration.loopback_hosts[1]  must be 127.0.0.1, [::1] or localhost; did you mean localhost?',
  ],
  [
    'loopback hosts without 127.0.0.1',
    { 'oauth.yaml': 'registration:\n  loopback_hosts: [localhost]\n' },
    'config/oauth.yaml:2  registration.loopback_hosts  must begin with 127.0.0.1, which is always allowed',
  ],
  [
    'a refresh token that outlives its grant',
    { 'oauth.yaml': 'lifetimes:\n  refresh_token_days: 90\n  grant_days: 30\n' },
    'config/oauth.yaml:2  lifetimes.refresh_token_days  must not be more than grant_days, because a token cannot outlive its grant',
  ],
  [
    'the same against a default',
    { 'oauth.yaml': 'lifetimes:\n  grant_days: 30\n' },
    'config/oauth.yaml:1  lifetimes.refresh_token_days  must not be more than grant_days, because a token cannot outlive its grant',
  ],
  [
    'a key that goes before what it signed',
    { 'oauth.yaml': 'signing_keys:\n  keep_after_retirement_hours: 1\nlifetimes:\n  id_token_seconds: 3601\n' },
    'config/oauth.yaml:2  signing_keys.keep_after_retirement_hours  must not be less than lifetimes.id_token_seconds, so that the tokens of a retired key can be verified',
  ],
  [
    'no baseline scope',
    { 'oauth.yaml': 'baseline_scopes: []\n' },
    'config/oauth.yaml:1  baseline_scopes  must be a list of at least 1, each text of at most 80 characters',
  ],
  [
    'an unknown baseline scope',
    { 'oauth.yaml': 'baseline_scopes: [openid, course:read]\n' },
    'config/oauth.yaml:1  baseline_scopes[1]  is not a known scope; did you mean courses:read?',
  ],
  [
    'an unknown scope of a role',
    { 'roles.yaml': 'learner:\n  - courses:read\n  - offline_access\n' },
    'config/roles.yaml:3  learner[1]  is not a known scope',
  ],
  [
    'a scope twice',
    { 'roles.yaml': 'learner: [courses:read, courses:read]\n' },
    'config/roles.yaml:1  learner[1]  is a duplicate: remove one',
  ],
  ['an unknown role', { 'roles.yaml': 'lecturers: all\n' }, 'config/roles.yaml:1  lecturers  is not a known key; did you mean lecturer?'],
  [
    'some word for a role',
    { 'roles.yaml': 'admin: everything\n' },
    'config/roles.yaml:1  admin  must be a list, each text of at most 80 characters, not text',
  ],
  [
    'a resource server without what it needs',
    { 'resources.yaml': 'resource_servers:\n  - identifier: https://r.example.com\n' },
    'config/resources.yaml:2  resource_servers[0].name  is missing: it must be text of 1 to 80 characters\nconfig/resources.yaml:2  resource_servers[0].scopes  is missing: it must be a list of at least 1, each text of at most 80 characters',
  ],
  [
    'a resource with a fragment',
    { 'resources.yaml': 'resource_servers:\n  - {identifier: "https://r.example.com#x", name: R, scopes: [openid]}\n' },
    'config/resources.yaml:2  resource_servers[0].identifier  must be an absolute URI without a fragment (RFC 8707 section 2)',
  ],
  [
    'a resource twice',
    { 'resources.yaml': 'resource_servers:\n  - &r {identifier: urn:r, name: R, scopes: [openid]}\n  - *r\n' },
    'config/resources.yaml:2  resource_servers[1].identifier  is a duplicate: remove one',
  ],
  [
    'a resource that is the school itself',
    { 'resources.yaml': 'resource_servers:\n  - {identifier: "http://127.0.0.1:3000/mcp", name: R, scopes: [openid]}\n' },
    'config/resources.yaml:2  resource_servers[0].identifier  is an address of schools/demo.yaml: list other resource servers only',
  ],
  [
    'a school without an issuer',
    { 'schools/abbey.yaml': 'languages: [en]\n' },
    'config/schools/abbey.yaml:1  issuer  is missing: it must be the public address of the school, such as https://school.example.com',
  ],
  [
    'an issuer without TLS',
    { 'schools/a.yaml': 'issuer: http://school.example.com\n' },
    'config/schools/a.yaml:1  issuer  must be https://HOST in lower case, without a path or a trailing slash (http:// is for loopback hosts only)',
  ],
  [
    'an issuer with a slash',
    { 'schools/a.yaml': 'issuer: https://a.example.com/\n' },
    'config/schools/a.yaml:1  issuer  must be https://HOST in lower case, without a path or a trailing slash (http:// is for loopback hosts only)',
  ],
  [
    'an issuer in capitals',
    { 'schools/a.yaml': 'issuer: https://A.example.com\n' },
    'config/schools/a.yaml:1  issuer  must be https://HOST in lower case, without a path or a trailing slash (http:// is for loopback hosts only)',
  ],
  [
    'two schools at one issuer',
    { 'schools/a.yaml': school, 'schools/b.yaml': `languages: [en]\n${school}` },
    'config/schools/b.yaml:2  issuer  has the host of schools/a.yaml: every school needs its own host',
    secret,
  ],
  [
    'two schools at one host',
    { 'schools/a.yaml': 'issuer: http://localhost:3000\n', 'schools/b.yaml': 'issuer: https://localhost:3000\n' },
    'config/schools/b.yaml:1  issuer  has the host of schools/a.yaml: every school needs its own host',
  ],
  [
    'a client id twice',
    {
      'schools/demo.yaml': `integrations:\n  - &i {client_id: sync, client_name: S, redirect_uris: ["https://s.example.com/c"]}\n  - *i\n`,
    },
    'config/schools/demo.yaml:2  integrations[1].client_id  is a duplicate: remove one',
  ],
  [
    'a client id that is an address',
    {
      'schools/demo.yaml':
        'integrations:\n  - {client_id: "https://sync.example.com", client_name: S, redirect_uris: ["https://s.example.com/c"]}\n',
    },
    'config/schools/demo.yaml:2  integrations[0].client_id  must be a client id: 2 to 100 letters, digits, . _ or -',
  ],
  [
    'a callback without TLS',
    integration('client_name: Sync', 'redirect_uris:', '  - http://sync.example.com/callback'),
    'config/schools/demo.yaml:5  integrations[0].redirect_uris[0]  is not of the form http://127.0.0.1:<port>/<path>. Use https://, or a loopback address such as http://127.0.0.1:8765/callback',
  ],
  [
    'a callback with a wildcard',
    integration('client_name: Sync', 'redirect_uris: ["https://*.example.com/callback"]'),
    'config/schools/demo.yaml:4  integrations[0].redirect_uris[0]  must be a complete https:// address in its normal form, without a fragment, a user name or *',
  ],
  [
    'a redirect URI with the scheme of scripts',
    integration('client_name: Sync', 'redirect_uris: ["javascript:/alert(1)"]'),
    'config/schools/demo.yaml:4  integrations[0].redirect_uris[0]  has a scheme that must not be javascript: browsers and operating systems handle this scheme themselves',
  ],
  [
    'a redirect URI with a short scheme that oauth.yaml does not allow',
    integration('client_name: Sync', 'redirect_uris: ["zed://callback/path"]'),
    'config/schools/demo.yaml:4  integrations[0].redirect_uris[0]  has the scheme zed, which is not a domain name in reverse order: add it to private_use_schemes in oauth.yaml if you trust every app that can claim it',
  ],
  [
    'https on a loopback host next to the address of an installed app',
    integration('client_name: Sync', 'redirect_uris: ["http://127.0.0.1/cb", "https://localhost/cb"]'),
    'config/schools/demo.yaml:4  integrations[0].redirect_uris[1]  must not be an https:// address of a loopback host in an integration with addresses of installed apps: use http://',
  ],
  [
    'an address after the sign-out that is not registered byte for byte',
    integration(...proper, 'post_logout_redirect_uris: [https://*.example.com/]'),
    'config/schools/demo.yaml:5  integrations[0].post_logout_redirect_uris[0]  must be a complete https:// address in its normal form, without a fragment, a user name or *',
  ],
  [
    'an address after the sign-out with a scheme that is not allowed',
    integration('client_name: Sync', 'redirect_uris: ["http://127.0.0.1/cb"]', 'post_logout_redirect_uris: ["zed://bye"]'),
    'config/schools/demo.yaml:5  integrations[0].post_logout_redirect_uris[0]  has the scheme zed, which is not a domain name in reverse order: add it to private_use_schemes in oauth.yaml if you trust every app that can claim it',
  ],
  [
    'an address after the sign-out on the computer of the person, for a web client',
    integration(...proper, 'post_logout_redirect_uris: ["http://127.0.0.1/bye"]'),
    'config/schools/demo.yaml:5  integrations[0].post_logout_redirect_uris[0]  must be an https:// address, as all redirect_uris are',
  ],
  [
    'a grant type that does not lead to a code',
    integration(...proper, 'grant_types: [refresh_token]'),
    'config/schools/demo.yaml:5  integrations[0].grant_types  must be a list with authorization_code, and refresh_token if the client refreshes',
  ],
  [
    'a reserved scheme among the private-use schemes',
    { 'oauth.yaml': 'private_use_schemes: [cursor, file]\n' },
    'config/oauth.yaml:1  private_use_schemes[1]  must not be file: browsers and operating systems handle this scheme themselves',
  ],
  [
    'a secret that is missing',
    integration(...proper, 'token_endpoint_auth_method: client_secret_post'),
    'config/schools/demo.yaml:2  integrations[0].secret_hash  is missing: client_secret_post requires the hash of the secret',
  ],
  [
    'a secret of a public client',
    integration(...proper, `secret_hash: ${hash}`),
    'config/schools/demo.yaml:5  integrations[0].secret_hash  belongs to client_secret_post: remove it, or change token_endpoint_auth_method',
  ],
  [
    'a secret in clear, which the message does not repeat',
    integration(...proper, 'token_endpoint_auth_method: client_secret_post', 'secret_hash: hunter2'),
    'config/schools/demo.yaml:6  integrations[0].secret_hash  must be sha256: and the SHA-256 of the secret in base64url without padding',
  ],
  [
    'a method that does not exist',
    integration(...proper, 'token_endpoint_auth_method: client_secret_basic'),
    'config/schools/demo.yaml:5  integrations[0].token_endpoint_auth_method  must be none, client_secret_post or private_key_jwt; did you mean client_secret_post?',
  ],
  [
    'a method that needs keys, without them',
    integration(...proper, 'token_endpoint_auth_method: private_key_jwt'),
    'config/schools/demo.yaml:2  integrations[0].jwks  is missing: private_key_jwt requires jwks or jwks_uri',
  ],
  [
    'keys of a client that needs none',
    integration(...proper, 'jwks_uri: https://sync.example.com/jwks.json'),
    'config/schools/demo.yaml:5  integrations[0].jwks_uri  belongs to private_key_jwt: remove it, or change token_endpoint_auth_method',
  ],
  [
    'an address of keys without TLS',
    integration(...proper, 'token_endpoint_auth_method: private_key_jwt', 'jwks_uri: http://sync.example.com/jwks.json'),
    'config/schools/demo.yaml:6  integrations[0].jwks_uri  must be an https:// address',
  ],
  ...[
    [
      'a private key',
      '{ kty: EC, crv: P-256, x: MKBC, y: 4Etl, d: 870M }',
      'is a private key: write the public one, and replace this key pair',
    ],
    ['an incomplete key', '{ kty: EC, crv: P-256, x: MKBC }', 'must be a public key in JWK format, of type RSA, EC or OKP'],
    ['a short key', `{ kty: RSA, e: AQAB, n: ${Buffer.alloc(128, 255).toString('base64url')} }`, 'must have at least 2048 bits'],
  ].map(
    ([name, key, expected]): WrongFile => [
      `${name} among the public keys`,
      integration(...proper, 'token_endpoint_auth_method: private_key_jwt', `jwks: { keys: [${key}] }`),
      `config/schools/demo.yaml:6  integrations[0].jwks.keys[0]  ${expected}`,
    ],
  ),
  [
    'a name that turns text around',
    integration('client_name: "a\\u202Eb"', proper[1] as string),
    'config/schools/demo.yaml:3  integrations[0].client_name  must be one line of text without control characters',
  ],
  [
    'a documentation address of another scheme',
    { 'schools/demo.yaml': 'docs_url: javascript:alert(1)\n' },
    'config/schools/demo.yaml:1  docs_url  must be an https:// address (http:// is for loopback hosts only)',
  ],
  [
    'a checkout address without the item',
    { 'schools/demo.yaml': 'checkout_url: https://shop.example.com/{type}\n' },
    'config/schools/demo.yaml:1  checkout_url  must be an https:// address that contains {id}, and optionally {type}, {price} and {code}',
  ],
  [
    'a language by its name',
    { 'schools/demo.yaml': 'languages: [english]\n' },
    'config/schools/demo.yaml:1  languages[0]  must be en or de',
  ],
  [
    'a misspelt time zone',
    { 'schools/demo.yaml': 'defaults:\n  time_zone: Europe/Berlim\n' },
    'config/schools/demo.yaml:2  defaults.time_zone  must be a time zone of the IANA database, such as Europe/Berlin; did you mean Europe/Berlin?',
  ],
  [
    'a currency that does not exist',
    { 'schools/demo.yaml': 'defaults: {currency: EURO}\n' },
    'config/schools/demo.yaml:1  defaults.currency  must be a currency code of ISO 4217, such as EUR; did you mean EUR?',
  ],
  [
    'a colour that YAML takes for a comment',
    { 'schools/demo.yaml': 'defaults:\n  branding:\n    colors:\n      primary: #1f6f5c\n' },
    "config/schools/demo.yaml:4  defaults.branding.colors.primary  must be a colour such as '#1f6f5c', in quotes, not empty",
  ],
  [
    'text that cannot be read on its background',
    { 'schools/demo.yaml': "defaults:\n  branding:\n    colors: {background: '#33302d'}\n" },
    'config/schools/demo.yaml:3  defaults.branding.colors  must have a contrast of at least 4.5 between text and background',
  ],
  [
    'a public school without a secret',
    { 'schools/a.yaml': school },
    'environment  SECRET_KEY  is missing: https://a.example.com is not a loopback address. Generate one with openssl rand -base64 48, and keep it',
  ],
  [
    'a public school without rate limits',
    { 'schools/a.yaml': school },
    'environment  RATE_LIMITS  must be on: https://a.example.com is not a loopback address',
    { ...secret, RATE_LIMITS: 'off' },
  ],
]

describe('an invalid file is rejected with a message that contains the place and the rule', () => {
  test.each(wrong)('%s', (_name, files, message, variables = {}) => {
    expect(complaint(configFolder(files), variables)).toBe(message)
  })

  test('a missing directory', () => {
    expect(complaint(join(temporaryFolder(), 'nowhere'))).toBe('config  does not exist: set CONFIG_DIR to the configuration directory')
  })

  test('a directory without a school', () => {
    const missing = 'config/schools  must contain a school: add <slug>.yaml with at least the line issuer: https://HOST'
    const folder = temporaryFolder()
    expect(complaint(folder)).toBe(missing)
    mkdirSync(join(folder, 'schools'))
    expect(complaint(folder)).toBe(missing)
  })

  test('a directory in place of a file', () => {
    const folder = configFolder()
    mkdirSync(join(folder, 'server.yaml'))
    expect(complaint(folder)).toBe('config/server.yaml  must be a regular file')
  })

  test('a pipe in place of a file, without waiting for it', () => {
    const folder = configFolder()
    execFileSync('mkfifo', [join(folder, 'server.yaml')])
    expect(complaint(folder)).toBe('config/server.yaml  must be a regular file')
  })

  test.each(['demo.yaml~', 'demo.yaml.bak', '#demo.yaml#', 'demo.yaml.orig', '.demo.yaml.swp'])(
    'but not %s, which an editor left behind: it is ignored, and listed unless its name begins with a dot',
    (name) => {
      const folder = configFolder({ 'schools/demo.yaml': '', [`schools/${name}`]: 'wrong: 1\n', [name.replace('demo', 'server')]: '' })
      expect(complaint(folder)).toBe('nothing wrong')
      const ignored = listConfigDirectory(folder).ignored.map(({ file }) => file.replace(folder, 'config'))
      expect(ignored.includes(`config/schools/${name}`)).toBe(!name.startsWith('.'))
    },
  )

  test('a webhook secret that is not set, with the line of its reference', () => {
    const hook = 'webhooks:\n  - name: crm\n    url: https://crm.example.com/x\n    types: [order]\n    secrets:\n      - env:CRM_SECRET\n'
    expect(complaint(configFolder({ 'schools/demo.yaml': hook }))).toBe(
      'config/schools/demo.yaml:6  webhooks[0].secrets[0]  cannot be used: the variable CRM_SECRET is not set',
    )
  })

  test('a file in place of the folder of schools', () => {
    expect(complaint(configFolder({ schools: '' }))).toBe('config/schools  cannot be listed: not a directory')
  })

  test('aliases that multiply, without expanding them', () => {
    const before = process.cpuUsage()
    expect(complaint(configFolder({ 'server.yaml': bomb }))).toContain('uses more than 50 aliases')
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000)
  })

  test('every error of every file together, including a broken rule between keys next to a misspelt key', () => {
    const message = complaint(
      configFolder({
        'oauth.yaml': 'lifetimes:\n  refresh_token_days: 90\n  grant_days: 30\n  sesion_days: 1\n',
        'roles.yaml': 'owner: [x]\n',
        'schools/a.yaml': `${school}languges: [en]\n`,
        'schools/b.yaml': `${school}docs_url: x\n`,
        'server.yaml': 'shutdown_seconds: 0\n',
      }),
    )
    expect(message.split('\n').map((line) => line.split('  ').slice(0, 2).join(' '))).toEqual([
      'config/oauth.yaml:2 lifetimes.refresh_token_days',
      'config/oauth.yaml:4 lifetimes.sesion_days',
      'config/roles.yaml:1 owner[0]',
      'config/schools/a.yaml:2 languges',
      'config/schools/b.yaml:1 issuer',
      'config/schools/b.yaml:2 docs_url',
      'config/server.yaml:1 shutdown_seconds',
      'environment SECRET_KEY',
    ])
  })
})
