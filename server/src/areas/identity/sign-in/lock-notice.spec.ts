import { session } from '@mainstay/contract/identity/session'
import { notifications } from '@mainstay/contract/settings/notifications'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startMailServer, type MailServer } from '../../../testing/outside/mail-server'
import { keepLocked } from '../../../testing/sign-in/keep-locked'
import { startServer, type TestServer } from '../../../testing/start-server'

let server: TestServer
let mail: MailServer
beforeAll(async () => {
  ;[server, mail] = await Promise.all([startServer(), startMailServer()])
  await server.call(notifications.save, {
    as: 'superuser',
    body: {
      notification_settings: {
        from: 'cloud@example.com',
        email_recipients_list: ['operator@example.com'],
        alerts_severities: ['warning'],
      },
      smtp_settings: { smtp_server: '127.0.0.1', port: mail.port, connection_security: 'none' },
    },
  })
})
afterAll(async () => {
  await server.close()
  await mail.close()
})
beforeEach(async () => {
  await server.sql.query('delete from sign_in_failure')
  await server.sql.query('delete from sign_in_notice')
  mail.taken.length = 0
})

const guess = (username: string, domain: string) =>
  server.call(session.login, { body: { username, domain, password: 'a guess' } }).then(
    () => 'in',
    ({ code }: { code: string }) => code,
  )
const guesses = async (username: string, domain: string) => {
  for (let count = 0; count < 5; count += 1) expect(await guess(username, domain)).toBe('wrong_credentials')
  await keepLocked(server)
  expect(await guess(username, domain)).toBe('too_many_attempts')
}
const jobsAreOver = () =>
  vi.waitFor(async () =>
    expect(await server.sql.query("select name from job where name in ('session.tell_locked', 'mail.send')")).toEqual(
      [],
    ),
  )
const setEmail = (email: string | null) =>
  server.sql.query(
    "update resource set body = jsonb_set(body, '{email}', $1) where kind = 'user' and name = 'project_member'",
    [JSON.stringify(email)],
  )

it('emails the locked user and operators who subscribe to warnings', async () => {
  await setEmail('member@example.com')
  await guesses('project_member', 'alpha')
  await jobsAreOver()
  const [toUser, toOperator] = mail.taken.toSorted((one, other) => one.to[0]!.localeCompare(other.to[0]!))
  expect(toUser).toMatchObject({ to: ['member@example.com'] })
  expect(toUser!.text).toMatch(/^Subject: Failed sign-ins to your account project_member\r$/m)
  expect(toUser!.text).toContain('127.0.0.1')
  expect(toOperator).toMatchObject({ to: ['operator@example.com'] })
  expect(mail.taken).toHaveLength(2)
})

it('sends at most one notice in 24 hours, regardless of the number of attempts', async () => {
  await setEmail('member@example.com')
  await guesses('project_member', 'alpha')
  await jobsAreOver()
  await server.sql.query('delete from sign_in_failure')
  await guesses('project_member', 'alpha')
  await jobsAreOver()
  expect(mail.taken).toHaveLength(2)
  await server.sql.query('delete from sign_in_failure')
  await server.sql.query("update sign_in_notice set told_at = now() - interval '25 hours'")
  await guesses('project_member', 'alpha')
  await jobsAreOver()
  expect(mail.taken).toHaveLength(4)
})

it('sends no notice for unknown users or domains, and none to users without an email address', async () => {
  await setEmail(null)
  await guesses('nobody', 'alpha')
  await guesses('project_member', 'no_such_domain')
  await jobsAreOver()
  expect(mail.taken).toEqual([])
  await guesses('project_member', 'alpha')
  await jobsAreOver()
  expect(mail.taken.map(({ to }) => to)).toEqual([['operator@example.com']])
})

it('records each failed sign-in in the audit log, but no notices', async () => {
  await server.sql.query('delete from audit')
  await setEmail(null)
  await guesses('project_member', 'alpha')
  await jobsAreOver()
  const lines = await server.sql.query<{ action: string; result: string }>('select action, result from audit')
  expect(lines).toEqual(Array.from({ length: 6 }, () => ({ action: 'session.login', result: 'error' })))
})
