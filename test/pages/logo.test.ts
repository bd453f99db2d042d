import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fromPublicId } from '../../src/base/ids.ts'
import { owner, png, startStorage } from '../school/files/storageService.ts'
import { duringTests } from '../support/duringTests.ts'

describe('the logo of a school on its pages', () => {
  const service = duringTests(() => startStorage({ schools: 2 }))
  let logo: string
  let darkLogo: string

  beforeAll(async () => {
    const bring = async (filename: string): Promise<string> =>
      (await service.bring(owner, png, { filename, content_type: 'image/png', purpose: 'image', visibility: 'public' })).json.id
    logo = await bring('kiln & "glaze".png')
    darkLogo = await bring('dark.png')
  })

  const change = (set: string, ...values: unknown[]) =>
    service.database.sql.query(`UPDATE appearance SET ${set} WHERE school_id = $1`, [service.schoolId(), ...values])
  const idOf = (id: string): unknown => fromPublicId('fil', id)
  beforeEach(async () => {
    await change("logo_file_id = NULL, logo_dark_file_id = NULL, logo_alt = NULL, logo_dark_alt = NULL, mode = 'auto'")
  })
  const header = async (issuer = service.issuer): Promise<string> => {
    const response = await fetch(`${issuer}/account/sign-in`)
    expect(response.headers.get('content-security-policy')).toContain("img-src 'self' data:;")
    return /<header class="school">([\s\S]*?)<\/header>/.exec(await response.text())?.[1] ?? ''
  }
  const colours = async (): Promise<string> => (await fetch(`${service.issuer}/assets/school.css`)).text()

  test('is replaced by the name if the school has none', async () => {
    expect((await header()).replace(/\s+/g, '')).toBe('<aclass="home"href="/"><bdi>FirstSchool</bdi></a>')
  })

  test('replaces the name, with its size and alternative text, and its URL serves it', async () => {
    await change('logo_file_id = $2, logo_alt = $3', idOf(logo), 'A kiln, <open>')
    const html = await header()
    const source = /<img class="logo" src="(\/files\/[^"]+)" alt="A kiln, &lt;open&gt;" width="1" height="1">/.exec(html)?.[1]
    expect(html).not.toContain('First School')
    const served = await fetch(service.issuer + source?.replaceAll('&amp;', '&'))
    expect([served.status, Buffer.from(await served.arrayBuffer()).equals(png)]).toEqual([200, true])
    expect(await header(service.other)).not.toContain('<img')
  })

  test('has the name of the school as its text if it has no other', async () => {
    await change('logo_file_id = $2', idOf(logo))
    expect(await header()).toContain('alt="First School"')
  })

  test('is another one on dark devices where the school has one, and has a light ground where it has not', async () => {
    await change('logo_file_id = $2', idOf(logo))
    expect(await header()).not.toContain('<source')
    expect(await colours()).toMatch(/prefers-color-scheme: dark[\s\S]*--plate: #ffffff/)
    await change('logo_dark_file_id = $2', idOf(darkLogo))
    expect(await header()).toMatch(/<source media="\(prefers-color-scheme: dark\)" srcset="\/files\/[^"]+\/dark\.png"/)
    expect(await colours()).not.toMatch(/prefers-color-scheme: dark[\s\S]*--plate: #ffffff/)
  })

  test('is the dark one on every device where the school is always dark', async () => {
    await change("logo_file_id = $2, logo_dark_file_id = $3, mode = 'dark'", idOf(logo), idOf(darkLogo))
    const html = await header()
    expect(html).toMatch(/<img class="logo" src="[^"]+\/dark\.png"/)
    expect(html).not.toContain('<source')
  })

  test('is gone with the public file', async () => {
    await change('logo_file_id = $2', idOf(logo))
    const visible = (visibility: string) =>
      service.database.sql.query("UPDATE file SET visibility = $1 WHERE filename LIKE 'kiln%'", [visibility])
    await visible('private')
    expect(await header()).not.toContain('<img')
    await visible('public')
    expect(await header()).toContain('<img')
  })

  test('has corners around it as the school likes them', async () => {
    await change("corner_radius = 'none'")
    expect(await colours()).toContain('--corner: 0;')
    await change("corner_radius = 'large'")
    expect(await colours()).toContain('--corner: 1.25rem;')
  })
})
