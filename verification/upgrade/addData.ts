import type { Program } from '../../test/gateway/nextRelease.ts'
import { createAgent, personCalled, postJson } from '../../test/support/agent.ts'
import { password } from '../../test/support/service.ts'
import { uploadFile } from '../../test/support/uploadFile.ts'
import { people } from '../soak/installation.ts'
import { pictureWith } from '../soak/picture.ts'

/** Creates the people with the command of the release, and a product with its API. Returns the public ids of the products. */
export async function addData(release: Program, issuer: string, environment: Record<string, string>): Promise<string[]> {
  const waiting = [people.owner, ...people.learners].values()
  const createPeople = async (): Promise<void> => {
    for (const email of waiting) await create(email)
  }
  const create = async (email: string): Promise<void> => {
    const role = email === people.owner ? 'owner' : 'learner'
    const args = ['people', 'create', email, '--name', 'Wren Tallow', '--role', role, '--email-verified', '--password-stdin']
    const { code, output } = await release.schoolgate(args, environment, password)
    if (code !== 0) throw new Error(`people create ended with ${code}: ${output}`)
  }
  await Promise.all([createPeople(), createPeople(), createPeople()])
  const agent = await createAgent(issuer)
  const scope = 'openid digital_products:read digital_products:write storage:write'
  const { body: tokens } = await agent.tokens(personCalled(people.owner), { scope }, { scopes: 'all' })
  const authorization = `Bearer ${tokens.access_token}`
  const send = async (path: string, body: object): Promise<{ id: string }> => {
    const reply = await postJson(`${issuer}/api/v1/digital_products${path}`, body, { authorization })
    if (reply.status > 299) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const { id } = await send('', { title: 'Kiln Log', kind: 'template', access: 'paid', price: { amount: 1900, currency: 'EUR' } })
  const { id: file_id } = await uploadFile(issuer, tokens.access_token, pictureWith('A kiln log.'), 'digital_product')
  await send(`/${id}/files`, { file_id, title: 'Kiln log' })
  await send(`/${id}/publish`, {})
  return [id]
}
