/** Path of the page about connecting apps. The same page as Markdown has the ending `.md`. */
export const appsPath = '/docs/apps'

/** One way to connect an app: what a person enters, or where they click. `{mcp}` is the address of the MCP endpoint. */
export type AppSetup =
  | { kind: 'command'; text: string }
  | { kind: 'file'; file: string; text: string }
  | { kind: 'steps'; path: readonly string[]; values: readonly { label: string; value: string }[] }

/** A remark of the page about an app. The texts are in `views/locales`. */
export type AppNote = 'signs_in_on_request' | 'signs_in_when_added' | 'insists_on_sign_in' | 'choose_no_authentication' | 'api_walkthrough'

/** An app that people connect to a school. The data are those that the app sends; the school's rules decide what they lead to. */
export interface KnownApp {
  id: string
  name: string
  setup: readonly AppSetup[]
  note: AppNote
  /** The metadata with which the app registers itself (RFC 7591). */
  registration: Readonly<Record<string, unknown>> & { client_name: string; redirect_uris: readonly string[] }
  /** The client ID metadata document that the app publishes, as far as it matters here. */
  document?: Readonly<Record<string, unknown>> & { client_id: string; redirect_uris: readonly string[] }
  /** The redirect URIs that authorization requests of the app use. The port of a loopback address is an example. */
  uses: readonly string[]
}

const publicClient = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
} as const

const nativeClient = { ...publicClient, application_type: 'native' } as const

const serversFile = (key: string, entry: object): string => JSON.stringify({ [key]: { school: entry } }, undefined, 2)

export const knownApps: readonly KnownApp[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    setup: [{ kind: 'command', text: 'claude mcp add --transport http school {mcp}' }],
    note: 'signs_in_on_request',
    registration: { ...nativeClient, client_name: 'Claude Code (school)', redirect_uris: ['http://localhost:54545/callback'] },
    document: {
      ...publicClient,
      client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
      client_name: 'Claude Code',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    },
    uses: ['http://localhost:54545/callback'],
  },
  {
    id: 'codex',
    name: 'Codex',
    setup: [{ kind: 'command', text: 'codex mcp add school --url {mcp}' }],
    note: 'signs_in_when_added',
    registration: { ...nativeClient, client_name: 'Codex', redirect_uris: ['http://127.0.0.1:37819/callback/a1b2c3'] },
    document: {
      ...nativeClient,
      client_id: 'https://chatgpt.com/oauth/codex/client.json',
      client_name: 'Codex',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
    },
    uses: ['http://127.0.0.1:37819/callback'],
  },
  {
    id: 'vscode',
    name: 'VS Code',
    setup: [
      { kind: 'command', text: `code --add-mcp '{"name":"school","type":"http","url":"{mcp}"}'` },
      { kind: 'file', file: '.vscode/mcp.json', text: serversFile('servers', { type: 'http', url: '{mcp}' }) },
    ],
    note: 'signs_in_on_request',
    registration: {
      ...nativeClient,
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
    },
    document: {
      ...nativeClient,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      client_id: 'https://vscode.dev/oauth/client-metadata.json',
      client_name: 'Visual Studio Code',
      client_uri: 'https://vscode.dev/product',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    },
    uses: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    setup: [{ kind: 'file', file: '~/.cursor/mcp.json', text: serversFile('mcpServers', { url: '{mcp}' }) }],
    note: 'signs_in_on_request',
    registration: {
      ...publicClient,
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
    },
    uses: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
  },
  {
    id: 'chatgpt',
    name: 'ChatGPT',
    setup: [
      {
        kind: 'steps',
        path: ['Settings', 'Apps & Connectors', 'Advanced settings', 'Developer mode', 'Create'],
        values: [
          { label: 'MCP Server URL', value: '{mcp}' },
          { label: 'Authentication', value: 'No authentication' },
        ],
      },
    ],
    note: 'choose_no_authentication',
    registration: {
      ...publicClient,
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    },
    document: {
      ...publicClient,
      client_id: 'https://chatgpt.com/oauth/connector/client.json',
      client_name: 'ChatGPT',
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    },
    uses: ['https://chatgpt.com/connector_platform_oauth_redirect'],
  },
  {
    id: 'claude-ai',
    name: 'claude.ai, Claude Desktop',
    setup: [
      {
        kind: 'steps',
        path: ['Settings', 'Connectors', 'Add custom connector'],
        values: [{ label: 'Remote MCP server URL', value: '{mcp}' }],
      },
    ],
    note: 'insists_on_sign_in',
    registration: {
      ...publicClient,
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    },
    document: {
      ...publicClient,
      client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
      client_name: 'Claude',
      client_uri: 'https://claude.ai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    },
    uses: ['https://claude.ai/api/mcp/auth_callback'],
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    setup: [
      { kind: 'command', text: 'gemini mcp add --transport http school {mcp}' },
      { kind: 'file', file: '~/.gemini/settings.json', text: serversFile('mcpServers', { httpUrl: '{mcp}' }) },
    ],
    note: 'signs_in_on_request',
    registration: { ...publicClient, client_name: 'Gemini CLI MCP Client', redirect_uris: ['http://localhost:7777/oauth/callback'] },
    uses: ['http://localhost:7777/oauth/callback'],
  },
  {
    id: 'inspector',
    name: 'MCP Inspector',
    setup: [{ kind: 'command', text: 'npx @modelcontextprotocol/inspector --cli {mcp} --transport http --method tools/list' }],
    note: 'signs_in_on_request',
    registration: {
      ...publicClient,
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      redirect_uris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
    },
    uses: ['http://localhost:6274/oauth/callback'],
  },
  {
    id: 'mcp-remote',
    name: 'mcp-remote',
    setup: [
      { kind: 'command', text: 'npx mcp-remote {mcp} --host 127.0.0.1' },
      {
        kind: 'file',
        file: 'claude_desktop_config.json',
        text: serversFile('mcpServers', { command: 'npx', args: ['mcp-remote', '{mcp}', '--host', '127.0.0.1'] }),
      },
    ],
    note: 'signs_in_on_request',
    registration: { ...nativeClient, client_name: 'MCP CLI Proxy', redirect_uris: ['http://127.0.0.1:3335/oauth/callback'] },
    uses: ['http://127.0.0.1:3335/oauth/callback'],
  },
  {
    id: 'other',
    name: 'Any other app or agent',
    setup: [{ kind: 'steps', path: [], values: [{ label: 'Streamable HTTP', value: '{mcp}' }] }],
    note: 'api_walkthrough',
    registration: { ...nativeClient, client_name: 'My agent', redirect_uris: ['http://127.0.0.1:8765/callback'] },
    uses: ['http://127.0.0.1:8765/callback'],
  },
]
