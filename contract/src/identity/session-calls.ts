import { read, update, type Endpoint } from '../core/endpoint'

type Call = Pick<Endpoint, 'verb' | 'path' | 'needs' | 'summary'>
const calls = <const Table extends Record<string, Call>>(table: Table): Table => table

/*
 * The calls of session.ts without their shapes. The sign-in page speaks these before anything else is loaded, and the
 * shapes would bring the whole of zod along.
 */
const accounts = '/api/v2/accounts'
export const sessionCalls = calls({
  panel: { verb: 'GET', path: '/api/v2/panel', needs: 'public', summary: 'Which panel this address serves' },
  login: { verb: 'POST', path: '/api/v2/login', needs: 'public', summary: 'Sign in with a password' },
  logout: { verb: 'POST', path: '/api/v2/logout', needs: 'public', summary: 'End the session and all its tokens' },
  whoami: { verb: 'GET', path: `${accounts}/whoami`, needs: 'signed-in', summary: 'The signed-in user' },
  projects: {
    verb: 'GET',
    path: `${accounts}/projects`,
    needs: 'signed-in',
    summary: 'Projects that the user may enter',
  },
  enterProject: {
    verb: 'POST',
    path: `${accounts}/projects/:id/auth`,
    needs: 'signed-in',
    summary: 'A token for one project',
  },
  changePassword: {
    verb: 'PUT',
    path: `${accounts}/change-password`,
    needs: update('account'),
    summary: 'Change the own password; other sessions end',
  },
  meta: { verb: 'GET', path: '/api/v2/meta', needs: 'signed-in', summary: 'What the token may do here' },
  about: { verb: 'GET', path: '/api/v2/about', needs: read('about'), summary: 'Version and release' },
})
