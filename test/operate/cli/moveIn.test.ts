import { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFileStorage } from '../../../src/database/files/openFileStorage.ts'
import { phonePng } from '../../support/pictures.ts'
import { type Cli, createCli, type Outcome, type Place, placesToTest } from './cli.ts'

const exports = join(import.meta.dirname, 'exports')
const wordpress = join(exports, 'wordpress.xml')
const ghost = join(exports, 'ghost.json')

const png = phonePng(1)

describe.each(await placesToTest())('content of another site, on $name', ({ open }) => {
  let place: Place
  let cli: Cli
  let folder: string
  let dryRun: Outcome
  let imported: Outcome
  let ghostImported: Outcome
  let issuer: string

  const save = async (name: string, contents: string | Buffer): Promise<string> => {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, contents)
    return path
  }
  const run = (...args: string[]) => cli(['schools', 'import', ...args])
  const done = async (...args: string[]): Promise<Outcome> => {
    const outcome = await run(...args)
    expect(outcome, outcome.err).toMatchObject({ exitCode: 0 })
    return outcome
  }
  const get = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
    fetch(path.startsWith('http') ? path : issuer + path, { headers, redirect: 'manual' })
  const page = async (path: string): Promise<string> => {
    const response = await get(path)
    expect(response.status, path).toBe(200)
    return await response.text()
  }
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  const rows = async (path: string): Promise<any[]> => Object(await (await get(`/api/v1/${path}`, {})).json()).data
  const counts = async () => {
    const tables = ['post', 'page', 'comment', 'file', 'former_slug', 'person', 'outbox', 'notification']
    const { sql } = place.service.database
    return await Promise.all(tables.map((table) => sql.query(`SELECT '${table}' AS name, count(*)::int AS rows FROM ${table}`, [])))
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'schoolgate-move-'))
    const storage = await openFileStorage(folder, undefined)
    place = await open({ service: { storage } })
    issuer = place.service.issuer
    cli = createCli({ ...place.options, variables: { ...place.options.variables, DATA_DIR: folder } })
    await place.service.addPerson({ email: 'hazel@example.org', role: 'owner' })
    await save('old/wp-content/uploads/2019/05/kiln.png', png)
    await save('ghost/content/images/2021/03/bowl.png', png)
    await save('secret.png', png)
    await symlink(join(folder, 'secret.png'), join(folder, 'old/wp-content/uploads/2019/05/link.png'))
    const before = await counts()
    dryRun = await done(wordpress, '--dry-run', '--files', join(folder, 'old'), '--json')
    expect(await counts()).toEqual(before)
    imported = await done(wordpress, '--files', join(folder, 'old'))
    ghostImported = await done(ghost, '--files', join(folder, 'ghost'), '--from', 'https://ghost.example.org')
  })
  afterAll(async () => {
    await place.stop()
    await rm(folder, { recursive: true })
  })

  test('a dry run names what would be made and left out, with the reason, and changes nothing', () => {
    const lines: { action: string; type: string; name: string; reason: string }[] = dryRun.json()
    const named = (action: string, type: string) =>
      lines.filter((line) => line.action === action && line.type === type).map(({ name }) => name)
    expect(named('create', 'post')).toEqual(['مسودة', 'Тарелка из глины', 'What the first firing taught us & why', 'Behind a password'])
    expect(named('create', 'page')).toEqual(['陶芸教室について'])
    expect(lines.filter(({ action }) => action === 'leave out').map(({ name, reason }) => `${name}: ${reason}`)).toEqual(
      expect.arrayContaining([
        'Main menu: it is of the type nav_menu_item, not a post or a page',
        'Behind a password: it had a password: it is a draft here',
        'Тарелка из глины: the shortcode contact-form-7 has no equivalent here',
        'What the first firing taught us & why: the block latest-posts has no equivalent here',
        'Buy pills on What the first firing taught us & why: its status is spam',
        'Another blog on What the first firing taught us & why: it is a pingback',
        'https://127.0.0.1/secret.png: the folder does not contain it',
      ]),
    )
    expect(dryRun.err).toContain('dry run, nothing was changed')
  })

  test('posts keep their dates, texts, tags, pictures and authors, and nothing in them runs', async () => {
    const [first] = await rows('posts?sort=published_at&limit=1')
    expect(first).toMatchObject({ title: 'Тарелка из глины', published_at: '2018-12-01T10:00:00.000Z' })
    const [post] = await rows('posts?slug[prefix]=first-firing')
    expect(post).toMatchObject({
      published_at: '2019-05-04T09:30:00.000Z',
      tags: ['Öfen & Brand', 'Töpfern'],
      excerpt: 'Three bowls cracked.',
    })
    expect((await rows('posts/tags')).map(({ tag }: { tag: string }) => tag)).toEqual(expect.arrayContaining(['Töpfern', 'Πηλός']))
    const shown = await page('/posts/first-firing')
    for (const part of [
      '2019-05-04',
      'Three bowls cracked',
      'The kiln, open',
      'youtube-nocookie.com/embed/dQw4w9WgXcQ',
      '"datePublished":"2019-05-04T09:30:00.000Z"',
    ])
      expect(shown).toContain(part)
    expect(shown).not.toMatch(/alert\(|onerror|<!-- wp|latest-posts/)
    expect(shown).toContain('href="/2018/12/%D1%82%D0%B0%D1%80%D0%B5%D0%BB%D0%BA%D0%B0/"')
    const [, picture = ''] = /<img src="(\/files\/fil_[^"]+)"/.exec(shown) ?? []
    const file = await get(picture, {})
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(post.cover_image.url).toContain(picture)
    const classic = await page('/posts/tarelka')
    expect(classic).toMatch(/First line \[sic\]<br \/>\s*second line/)
    expect(classic).toContain('<figcaption>The kiln</figcaption>')
    expect(classic).toContain('— Jun 健太')
    expect(classic).not.toContain('contact-form-7')
  })

  test('old addresses lead to the post or the page that moved, for every kind of client, and drafts have none', async () => {
    for (const [old, path] of [
      ['/2019/05/first-firing/', '/posts/first-firing'],
      ['/2019/05/first-firing', '/posts/first-firing'],
      ['/2019/05/the-firing/', '/posts/first-firing'],
      ['/2018/12/%d1%82%d0%b0%d1%80%d0%b5%d0%bb%d0%ba%d0%b0/', '/posts/tarelka'],
      ['/2018/12/%D1%82%D0%B0%D1%80%D0%B5%D0%BB%D0%BA%D0%B0', '/posts/tarelka'],
      ['/o-pilos-mas/', '/posts/o-pilos-mas'],
    ] as const) {
      for (const accept of ['text/html', '*/*']) {
        const response = await get(old, { accept })
        expect([response.status, response.headers.get('location')], `${old} ${accept}`).toEqual([301, issuer + path])
      }
    }
    expect((await get('/about/')).headers.get('location')).toMatch(/\/pages\/about(-2)?$/)
    expect((await get('/2020/01/secret/')).status).toBe(404)
    expect((await get('/2019/05/other/')).status).toBe(404)
    expect((await get('/api/2019/05/first-firing/', {})).status).toBe(404)
  })

  test('comments keep their times, names, lines and threads', async () => {
    const [post] = await rows('posts?slug[prefix]=first-firing')
    const comments = await rows(`posts/${post.id}/comments?sort=created_at`)
    const parent = comments[0].id
    expect(comments).toMatchObject([
      { created_at: '2019-05-05T07:00:00.000Z', parent_id: null, replies_count: 2, author: { display_name: 'Олена' } },
      { created_at: '2019-05-05T08:00:00.000Z', parent_id: parent, body: 'Both.', author_role: 'staff' },
      { created_at: '2019-05-06T08:00:00.000Z', parent_id: parent, author: { display_name: 'نور' } },
    ])
    expect(comments[0].body).toContain('Which clay?\nStoneware & grog?')
    expect(comments[0].body_html).not.toContain('<script')
    expect(post.comments_count).toBe(3)
    expect(await place.service.emails()).toEqual([])
  })

  test('feed and sitemap show the dates of the old site', async () => {
    const feed = await (await get('/posts/feed.xml', {})).text()
    expect(feed).toContain('2019-05-04T09:30:00')
    expect(await (await get('/sitemap-posts.xml', {})).text()).toContain('/posts/first-firing')
  })

  test('an export of Ghost has its posts, pages, tags and pictures here, also those of its editors', async () => {
    const shown = await page('/posts/o-pilos-mas')
    expect(shown).toContain('2021-03-01')
    expect(shown).toMatch(/<img src="\/files\/fil_[^"]+bowl\.png" alt="A bowl"/)
    expect(shown).not.toMatch(/alert\(|__GHOST_URL__/)
    const [restricted] = await rows('posts?slug[prefix]=hamari-mitti')
    expect(restricted).toMatchObject({ visibility: 'members', published_at: '2021-01-01T00:00:00.000Z', content_access: 'locked' })
    const stored = await place.service.database.sql.query(
      `SELECT content_html FROM post_body WHERE post_id IN (SELECT id FROM post WHERE slug = 'hamari-mitti')`,
      [],
    )
    expect(stored[0]?.content_html).toContain('<h2 id="text-glaze"><strong>Glaze</strong></h2>')
    expect(stored[0]?.content_html).not.toContain('javascript:')
    expect(await page('/pages/about-2').catch(() => page('/pages/about'))).toBeTruthy()
    expect(ghostImported.out).toMatch(/Newsletter 12: it was an e-mail only/)
    expect(ghostImported.out).toContain('the card signup has no equivalent here')
  })

  test('a second run doubles nothing', async () => {
    const before = await counts()
    await done(wordpress, '--files', join(folder, 'old'))
    const again = await done(ghost, '--files', join(folder, 'ghost'), '--from', 'https://ghost.example.org', '--json')
    expect(await counts()).toEqual(before)
    expect(again.json().map(({ action }: { action: string }) => action)).toEqual(['leave out', 'leave out', 'keep', 'keep', 'keep'])
  })

  test('pictures are neither requested from private addresses nor read outside of the folder', async () => {
    expect(imported.out).toContain('the folder does not contain it')
    const hostile = [
      'https://127.0.0.1/a.png',
      'http://[::1]/a.png',
      'http://169.254.169.254/latest/meta-data/',
      'https://localhost/a.png',
      'file:///etc/passwd',
      'https://user:secret@example.org/a.png',
    ]
    const traversal = [
      'https://blog.example.org/wp-content/uploads/../../../secret.png',
      'https://blog.example.org/wp-content/uploads/%2e%2e/%2e%2e/%2e%2e/secret.png',
      'https://blog.example.org/..%2f..%2f..%2fsecret.png',
      'https://blog.example.org/wp-content/uploads/2019/05/link.png',
    ]
    const file = async (name: string, addresses: readonly string[]) => {
      const html = addresses.map((address) => `<img src="${address}" alt="x">`).join('')
      return await save(`${name}.json`, JSON.stringify({ data: { posts: [{ id: name, title: name, slug: name, html, status: 'draft' }] } }))
    }
    const lost = async (...args: string[]) =>
      (await done(...args, '--json'))
        .json()
        .filter(({ type }: { type: string }) => type === 'picture')
        .map(({ action }: { action: string }) => action)
    expect(await lost(await file('hostile', hostile))).toEqual(hostile.map(() => 'leave out'))
    expect(await lost(await file('traversal', traversal), '--files', join(folder, 'old'))).toEqual(traversal.map(() => 'leave out'))
  })

  test('a file that is broken, hostile or too large is refused with the reason and the fix, and nothing is made', async () => {
    const before = await counts()
    const whole = await readFile(wordpress, 'utf8')
    const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><rss><channel><title>&lol2;</title></channel></rss>`
    const external = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><rss><channel><title>&e;</title></channel></rss>`
    const huge = await save('huge.xml', '')
    await truncate(huge, 200 * 1_048_576)
    const cases: [string, RegExp][] = [
      [await save('laughs.xml', laughs), /declares a document type/],
      [await save('external.xml', external), /declares a document type/],
      [await save('truncated.xml', whole.slice(0, whole.length / 2)), /line \d+, column \d+.*Nothing was imported/],
      [await save('truncated.json', (await readFile(ghost, 'utf8')).slice(0, 2000)), /not complete JSON.*Nothing was imported/],
      [await save('deep.xml', `<rss><channel>${'<a>'.repeat(100_000)}`), /nested more than 20 levels deep/],
      [await save('deep.json', `${'['.repeat(100_000)}`), /nested more than 20 levels deep/],
      [huge, /209715200 bytes, more than 104857600/],
      [
        await save('latin.xml', Buffer.from('<?xml version="1.0"?><rss><channel><title>T\xf6pfern</title></channel></rss>', 'latin1')),
        /not valid UTF-8/,
      ],
      [await save('unknown.xml', '<?xml version="1.0" encoding="x-none"?><rss/>'), /unknown encoding x-none/],
      [await save('feed.xml', '<rss version="2.0"><channel><title>A feed</title></channel></rss>'), /not an export of WordPress/],
      [await save('other.json', '{"posts":1}'), /not an export of Ghost/],
      [await save('wordpress.txt', whole), /name its format with --format/],
      [join(folder, 'missing.xml'), /./],
    ]
    for (const [path, reason] of cases) {
      const outcome = await run(path)
      expect(outcome.exitCode, path).toBeGreaterThan(0)
      expect(outcome.err, path).toMatch(reason)
      expect(outcome.out, path).toBe('')
    }
    expect(await counts()).toEqual(before)
    const declared = whole.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"').replace(/[^\0-\xff]/g, '?')
    await done(await save('declared.xml', Buffer.from(declared, 'latin1')), '--dry-run')
    await done(await save('utf16.xml', Buffer.from(`\ufeff${whole}`, 'utf16le')), '--dry-run')
  })

  test('a post that the school cannot have is left out with its reason, and the others are made', async () => {
    const posts = [
      {
        id: 'long',
        title: 'Too long',
        slug: 'too-long',
        html: `<p>${'x'.repeat(200_001)}</p>`,
        status: 'published',
        published_at: '2020-01-01T00:00:00Z',
      },
      { id: 'early', title: 'Too early', slug: 'too-early', html: '', status: 'published', published_at: '1970-01-01T00:00:00Z' },
      { id: 'taken', title: 'Taken', slug: 'first-firing', html: '', status: 'published', published_at: '2020-01-01T00:00:00Z' },
      { id: 'reserved', title: 'Tags', slug: 'tags', html: '', status: 'published', published_at: '2020-01-02T00:00:00Z' },
    ]
    const path = await save('rules.json', JSON.stringify({ db: [{ data: { posts } }] }))
    const outcome = await done(path)
    expect(outcome.out).toMatch(/leave out post Too long: content: must have at most 200000 characters, has 200008/)
    expect(outcome.out).toMatch(/leave out post Too early: published_at: must not be before 1990/)
    expect(outcome.err).toContain('2 posts created')
  })

  /** An export of WordPress with these posts: an id, and the members of each. */
  const wxr = (posts: Record<string, Record<string, string>>): string => {
    const items = Object.entries(posts).map(([id, { title = id, content = '', more = '', ...members }]) => {
      const fields = { post_id: id, post_type: 'post', status: 'publish', post_name: id, ...members }
      const named = Object.entries(fields).map(([name, value]) => `<wp:${name}><![CDATA[${value}]]></wp:${name}>`)
      const link = `<link>https://old.example.org/${id}/</link>`
      return `<item><title>${title}</title>${link}${named.join('')}<content:encoded><![CDATA[${content}]]></content:encoded>${more}</item>`
    })
    const channel = '<wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>https://old.example.org</wp:base_blog_url>'
    return `<?xml version="1.0" encoding="UTF-8" ?><rss xmlns:wp="w" xmlns:content="c"><channel>${channel}${items.join('')}</channel></rss>`
  }
  const bySlug = async (slug: string) => (await rows(`posts?slug[prefix]=${slug}`))[0]

  test('exports as sites write them: wrong dates, control characters, plain paragraphs, videos, and pictures of one name', async () => {
    await save('old/wp-content/uploads/2015/01/a.png', png)
    await save('old/wp-content/uploads/2016/01/a.png', png)
    const comment = (id: number, text: string, date: string) =>
      `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author>Kit</wp:comment_author><wp:comment_author_email>kit@example.net</wp:comment_author_email><wp:comment_date_gmt>${date}</wp:comment_date_gmt><wp:comment_content><![CDATA[${text}]]></wp:comment_content><wp:comment_approved>1</wp:comment_approved></wp:comment>`
    const uploads = 'https://old.example.org/wp-content/uploads'
    const path = await save(
      'world.xml',
      wxr({
        'no-gmt': {
          post_date_gmt: '0000-00-00 00:00:00',
          post_date: '2014-02-03 04:05:06',
          title: 'Tom &amp;amp; Kit &#8217;s &lt;b&gt;kiln&lt;/b&gt;',
        },
        comments: {
          post_date_gmt: '2014-03-03 04:05:06',
          more:
            comment(901, 'Weird \u0008\u001f\u000b characters', '2014-03-04 00:00:00') + comment(902, 'No date', '-0001-11-30 00:00:00'),
        },
        plain: { post_date_gmt: '2014-04-03 04:05:06', content: 'One\n\nhttps://www.youtube.com/watch?v=dQw4w9WgXcQ\n\nTwo\r\n\r\nThree' },
        blocks: {
          post_date_gmt: '2014-05-03 04:05:06',
          content: '<!-- wp:acf/x {"a":"\\u0022#test\\u0022 \\u003c!\\u002d\\u002d"} -->\n<p>Shown</p>\n<!-- /wp:acf/x -->',
        },
        pictures: {
          post_date_gmt: '2014-06-03 04:05:06',
          content: `<img src="${uploads}/2015/01/a.png" /><a href='${uploads}/2016/01/a.png'><img src='${uploads}/2016/01/a-150x150.png'></a>`,
        },
        untitled: { post_date_gmt: '2014-07-03 04:05:06', title: '', content: '<p>First words</p>' },
      }),
    )
    const outcome = await done(path, '--files', join(folder, 'old'))
    expect(await bySlug('no-gmt')).toMatchObject({ published_at: '2014-02-03T04:05:06.000Z', title: 'Tom & Kit ’s kiln' })
    const { id } = await bySlug('comments')
    expect(await rows(`posts/${id}/comments?sort=created_at`)).toMatchObject([
      { created_at: '2014-03-03T04:05:06.000Z', body: 'No date' },
      { created_at: '2014-03-04T00:00:00.000Z', body: 'Weird characters' },
    ])
    expect((await page('/posts/plain')).match(/<p>(One|Two|Three)<\/p>|youtube-nocookie/g)).toHaveLength(4)
    const blocks = await page('/posts/blocks')
    expect([blocks.includes('<p>Shown</p>'), blocks.includes('#test')]).toEqual([true, false])
    const pictures = new Set((await page('/posts/pictures')).match(/\/files\/fil_\w+\/a\.png/g))
    expect(pictures.size).toBe(2)
    expect(outcome.out).toContain('a-150x150.png')
    expect((await bySlug('untitled')).title).toBe('First words')
  })

  test('exports of Ghost as sites have them: late schedules, both editors, deleted authors, tags without slugs and in order', async () => {
    const post = (id: string, more: object) => ({
      id,
      title: id,
      slug: id,
      html: '<p>x</p>',
      status: 'published',
      published_at: 1_400_000_000_000,
      ...more,
    })
    const posts = [
      post('late', { status: 'scheduled', published_at: '2016-01-01T00:00:00.000Z' }),
      post('early', { status: 'scheduled', published_at: new Date(Date.now() + 86_400_000).toISOString() }),
      post('both', { html: '<p>Rendered</p>', mobiledoc: '{"sections":[]}', lexical: '{"root":{"children":[]}}' }),
      post('orphan', { author_id: 2 }),
      post('old', { html: null, markdown: 'Old *text*', image: '/content/images/2021/03/bowl.png', page: 0 }),
    ]
    const tags = ['b', 'B', 'a', '#x'].map((name, id) => ({ id, name }))
    const posts_tags = tags.map(({ id }) => ({ post_id: 'orphan', tag_id: id, sort_order: id }))
    const path = await save('world.json', JSON.stringify({ db: [{ data: { posts, tags, posts_tags } }] }))
    await done(path, '--files', join(folder, 'ghost'), '--from', 'https://old.example.org')
    expect(await bySlug('late')).toMatchObject({ status: 'published', published_at: '2016-01-01T00:00:00.000Z' })
    expect(await bySlug('early')).toBe(undefined)
    const [early] = await place.service.database.sql.query(`SELECT status FROM post WHERE slug = 'early'`, [])
    expect(early).toMatchObject({ status: 'scheduled' })
    expect(await page('/posts/both')).toContain('<p>Rendered</p>')
    expect(await bySlug('orphan')).toMatchObject({ tags: ['B', 'a'], author: { lecturer_id: null } })
    expect((await bySlug('old')).cover_image).toMatchObject({ url: expect.stringContaining('bowl.png') })
  })
})
