import type { SeededRandom } from '../seededRandom.ts'
import type { Draft } from './apiRequests.ts'
import type { Memory } from './memory.ts'
import { nastyTexts, nastyValues } from './nasty.ts'
import type { Schema } from './openApiTargets.ts'
import type { ValueMaker } from './values.ts'

export interface Tool {
  name: string
  inputSchema: Schema
  outputSchema?: Schema
}

export interface McpSources {
  tools: readonly Tool[]
  memory: Memory
  random: SeededRandom
  validValue: ValueMaker
}

const otherMethods = [
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'skills/list',
  'skills/get',
  'notifications/initialized',
  'notifications/cancelled',
  'sampling/createMessage',
  'nonsense',
  '',
]

/** Returns a JSON-RPC message for `/mcp`: usually a tool call with arguments by the tool's schema. */
export function mcpRequest({ tools, memory, random, validValue }: McpSources): Draft {
  const mutations: string[] = []
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  }
  let target = 'MCP'
  const id: unknown = random.chance(0.95) ? random.below(1000) : random.pick(nastyValues)
  let message: unknown
  if (random.chance(0.75)) {
    const tool = random.pick(tools)
    target = `MCP ${tool.name}`
    const args = validValue(tool.inputSchema) as Record<string, unknown>
    for (const name of ['id_or_slug', 'id', 'slug', 'lecturer', 'plan', 'course']) {
      if (name in args && random.chance(0.9)) args[name] = memory.value(random, 'slug') ?? args[name]
    }
    if (random.chance(0.4)) {
      mutations.push('an argument replaced')
      args[random.pick([...Object.keys(args), 'limit', 'cursor', 'fields', '__proto__'])] = random.pick(nastyValues)
    }
    message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool.name, arguments: args } }
  } else {
    const method: unknown = random.chance(0.9) ? random.pick(otherMethods) : random.pick(nastyValues)
    mutations.push('any method and parameters')
    target = `MCP ${otherMethods.find((one) => one === method) ?? 'other'}`
    message = {
      jsonrpc: random.chance(0.9) ? '2.0' : random.pick(nastyValues),
      id,
      method,
      params: random.chance(0.5)
        ? {}
        : random.pick([
            ...nastyValues,
            { uri: random.pick(nastyValues) },
            { ref: { type: 'ref/prompt', name: 'recommend_course' }, argument: { name: random.pick(nastyTexts), value: '' } },
            { name: random.pick(nastyValues), arguments: random.pick(nastyValues) },
          ]),
    }
  }
  if (random.chance(0.05)) {
    mutations.push('a batch')
    message = Array.from({ length: random.pick([0, 2, 300]) }, () => message)
  }
  if (random.chance(0.1)) {
    mutations.push('an odd protocol header')
    headers[random.pick(['mcp-protocol-version', 'mcp-session-id', 'accept', 'last-event-id'])] = random.pick([
      '',
      '1999-01-01',
      'text/html',
      'x'.repeat(3000),
    ])
  }
  return { target, method: 'POST', path: '/mcp', headers, body: Buffer.from(JSON.stringify(message)), mutations }
}
