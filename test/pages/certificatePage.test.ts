import { beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { createBrowser } from './browser.ts'
import { siteOwner } from './siteVisitor.ts'

interface Certificate {
  number: string
  url: string
}

const title = '<b>Töpfern</b> دورة'
const name = 'Zoë <i>Ashdown</i>'

describe.each(await databasesToTest())('the page of a certificate, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open, isLimited: true, school: { public_pages: false } }))
  const owner = duringTests(() => siteOwner(service))
  let enrollment: string
  let student: string
  let certificate: Certificate
  beforeAll(async () => {
    student = String((await owner.call('POST', '/students', { email: 'zoe@example.org', name })).id)
    const course = await owner.call('POST', '/courses', { title, access: 'free', certificate_enabled: true })
    const lecturers = ['Marlo <b>', 'أ'].map((display_name) => owner.call('POST', '/lecturers', { display_name }))
    const ids = (await Promise.all(lecturers)).map(({ id }) => id)
    await owner.call('PUT', `/courses/${course.id}/lecturers`, { lecturer_ids: ids })
    const made = { course_id: course.id, student_id: student, override: true }
    enrollment = String((await owner.call('POST', '/enrollments', made)).id)
    certificate = (await owner.call('POST', `/enrollments/${enrollment}/complete`, {})).certificate as Certificate
  })

  const page = (path: string, language = 'en') => createBrowser(service.issuer).get(path, { 'accept-language': language })

  test('opens at the address of the certificate, without the public pages of the school, in both languages', async () => {
    expect(certificate.url).toBe(`${service.issuer}/certificates/${certificate.number}`)
    const english = await page(new URL(certificate.url).pathname)
    expect(english.status).toBe(200)
    expect(english.html).toContain('This certificate is valid.')
    expect(english.html).toContain('<p class="certificate-holder" dir="auto">Zoë &lt;i&gt;Ashdown&lt;/i&gt;</p>')
    expect(english.html).toContain('<p class="certificate-course" dir="auto">&lt;b&gt;Töpfern&lt;/b&gt; دورة</p>')
    expect(english.html).toContain(`${service.issuer}/certificates/${certificate.number.replaceAll(/(.{4})(?=.)/g, '$1-')}`)
    expect(english.html).toMatch(/<p>Taught by .*Marlo.* and أ.?<\/p>/)
    expect(english.html).toMatch(/<p>Issued on .*\d+ \w+ \d{4}.*<\/p>/)
    expect(english.html).toMatch(/<svg class="qr"[^>]*aria-label="QR code with the address of this page">/)
    expect(english.html).toContain('<meta name="robots" content="noindex">')
    expect(english.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(english.headers.get('cache-control')).toBe('no-store')
    expect((await page(`/certificates/${certificate.number}`, 'de')).html).toContain('Dieses Zertifikat ist gültig.')
  })

  test('opens for a number in any case and with separators; other numbers are not found', async () => {
    const written = certificate.number.toLowerCase().replaceAll(/(.{4})(?=.)/g, '$1-')
    expect((await page(`/certificates/${written}`)).html).toContain('This certificate is valid.')
    for (const path of ['/certificates/0000000000000000', '/certificates/x', '/certificates/%00']) {
      const missing = await page(path)
      expect([path, missing.status]).toEqual([path, 404])
    }
  })

  test('says that a certificate was corrected, was revoked, and that its holder was erased', async () => {
    await owner.call('PATCH', `/students/${student}`, { name: 'Zoë Müller' }, { 'if-match': '*' })
    await owner.call('POST', `/enrollments/${enrollment}/certificate`, { reason: 'New name.' })
    const corrected = await page(`/certificates/${certificate.number}`)
    expect(corrected.html).toMatch(/This certificate is valid\. It was corrected on \d+ \w+ \d{4}\./)
    expect(corrected.html).toContain('Zoë Müller')
    await owner.call('POST', `/enrollments/${enrollment}/reset_progress`, {})
    expect((await page(`/certificates/${certificate.number}`)).html).toContain('This certificate is valid.')
    const { data } = await owner.call('GET', `/certificates?enrollment_id=${enrollment}`)
    await owner.call('POST', `/certificates/${(data as { id: string }[])[0]?.id}/revoke`, {})
    expect((await page(`/certificates/${certificate.number}`)).html).toContain('This certificate was revoked.')
    await owner.call('DELETE', `/students/${student}`)
    const erased = await page(`/certificates/${certificate.number}`)
    expect(erased.html).toContain('The name was deleted')
    expect(erased.html).not.toContain('Zoë')
  })

  test('guesses of numbers are limited by network, together with those of the API', async () => {
    const statuses: number[] = []
    for (let guess = 0; guess < 12; guess++) statuses.push((await page(`/certificates/000000000000000${guess % 10}`)).status)
    expect(statuses.at(-1)).toBe(429)
    expect((await fetch(`${service.issuer}/api/v1/certificates/0000000000000000`)).status).toBe(429)
  })
})
