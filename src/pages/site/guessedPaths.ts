import { accountPaths } from '../../base/accountPaths.ts'
import { siteKinds, sitePath } from '../../engine/sitePaths.ts'
import { endpoints } from '../../identity/oidc/endpoints.ts'

/** The paths that people guess, by the path that they mean. */
const guesses: Readonly<Record<string, readonly string[]>> = {
  [accountPaths.signIn]: ['/login', '/log-in', '/signin', '/sign-in'],
  [accountPaths.signUp]: ['/signup', '/sign-up', '/register', '/join'],
  [accountPaths.home]: ['/dashboard', '/profile', '/me', '/my', '/my-account', '/settings'],
  [accountPaths.school]: ['/admin', '/staff', '/manage'],
  [endpoints.end_session.path]: ['/logout', '/log-out', '/signout', '/sign-out'],
  [sitePath('posts')]: ['/blog', '/news', '/notes', '/articles'],
  [sitePath('courses')]: ['/course', '/catalog', '/catalogue', '/shop', '/lessons'],
  [sitePath('events')]: ['/event', '/calendar', '/workshops'],
  [sitePath('lecturers')]: ['/teachers', '/instructors', '/team'],
  [sitePath('plans')]: ['/membership', '/memberships', '/pricing', '/prices', '/subscribe'],
}

const meant = new Map([
  ...Object.entries(guesses).flatMap(([path, all]) => all.map((guess): [string, string] => [guess, path])),
  ...siteKinds.map((kind): [string, string] => [sitePath(kind), sitePath(kind)]),
])

/** Returns the path that a person means by another one, in any case and with or without a slash at the end. */
export const guessedPath = (path: string): string | undefined => meant.get(path.toLowerCase().replace(/\/$/, ''))
