import { expect, test } from 'vitest'
import { issuedInEmail, issuedInResponse } from './issuedIn.ts'
import { createLeakRecorder } from './leakRecorder.ts'

const long = 'q3Jx9Zt0q3Jx9Zt0q3Jx9Zt0q3Jx9Zt0q3Jx9Zt0abc'

test.each([
  ['cookie sg_session', { setCookie: [`__Host-sg_session=${long}; path=/; httponly`] }],
  ['code in a redirect', { location: `http://127.0.0.1:53682/callback?code=${long}&state=a` }],
  ['access_token', { contentType: 'application/json', body: `{"access_token":"${long}"}` }],
  ['client_secret', { contentType: 'application/json', body: `{"client_secret":"${long}"}` }],
  ['signed address', { contentType: 'application/json', body: `{"url":"https://a/files/1?expires=1&signature=${long}"}` }],
  ['form token', { contentType: 'text/html', body: `<input type="hidden" name="csrf" value="${long}">` }],
  ['recovery code', { contentType: 'text/html', body: '<code>ab2d-ef3h-jk4m</code>' }],
  ['calendar address', { contentType: 'text/html', body: `https://a/calendar/${long}.ics` }],
])('%s is recorded', (kind, response) => {
  expect(issuedInResponse({ setCookie: [], location: undefined, contentType: '', body: '', ...response })).toMatchObject([{ kind }])
})

test('the token of a mailed link is recorded, and nothing of a response without secrets', () => {
  expect(issuedInEmail(`https://a/account/email?token=${long}\n`)).toEqual([{ kind: 'mailed link', value: long, hasEnded: false }])
  expect(issuedInResponse({ setCookie: ['sg_language=de'], location: '/account', contentType: 'text/html', body: long })).toEqual([])
})

test('only a run of npm run leaks records', () => {
  expect(process.env.LEAK_FILE === undefined).toBe(createLeakRecorder() === undefined)
})
