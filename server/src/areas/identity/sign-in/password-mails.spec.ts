import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { users } from '@mainstay/contract/identity/users'
import { notifications } from '@mainstay/contract/settings/notifications'
import { Secret } from '@mainstay/engines/ports/secret'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { openContent, sealContent } from '../../../mail/sealed-mail'
import { startMailServer, type MailServer } from '../../../testing/outside/mail-server'
import {
  admin,
  makeUser,
  name,
  operator,
  refusal,
  server,
  signIn,
  withDirectory,
} from '../../../testing/directory-fixture'

/* Password links sent by email, either by an administrator or to reset a forgotten password. */

withDirectory()

const NEXT = 'Another horse, 2'
let mail: MailServer
const setMailServer = (smtp_server: string) =>
  server.call(notifications.save, {
    as: operator,
    body: {
      notification_settings: { from: 'cloud@example.com', email_recipients_list: [], alerts_severities: [] },
      smtp_settings: { smtp_server, port: mail.port, connection_security: 'none' },
    },
  })
beforeAll(async () => {
  mail = await startMailServer()
  await setMailServer('127.0.0.1')
})
afterAll(() => mail.close())
beforeEach(() => {
  mail.taken.length = 0
})

const jobsAreOver = () =>
  vi.waitFor(
    async () =>
      expect(
        await server.sql.query("select name from job where name in ('session.mail_reset_link', 'mail.send_sealed')"),
      ).toEqual([]),
    { timeout: 20_000 },
  )
/** Request headers as sent by the console. */
const headers = () => ({ origin: server.url })
const forgotten = (username: string, domain = 'alpha', more: Record<string, string> = headers()) =>
  server.call(passwordLinks.forgotten, { body: { username, domain }, headers: more })
/** Finds the link in an email whose lines may be wrapped (quoted-printable). */
const linkIn = (text: string) => /https?:\S+#[\w-]{43}/.exec(text.replaceAll('=\r\n', '').replaceAll('=3D', '='))![0]
const use = (link: string) =>
  server.call(passwordLinks.use, { body: { token: new URL(link).hash.slice(1), new_password: NEXT } })

it('emails an invitation as text and HTML to a user with an email address', async () => {
  const user = await server.call(users.create, { as: admin, body: { name, email: `${name}@example.com` } })
  const made = await server.call(passwordLinks.create, {
    ...{ as: admin, params: { domain_id: user.domain_id, id: user.id } },
    ...{ body: { mail: true }, headers: headers() },
  })
  expect(made).toMatchObject({ url: `${server.url}/password-link#${made.token}`, mailed_to: user.email })
  await jobsAreOver()
  const [letter] = mail.taken
  expect(letter!.to).toEqual([user.email])
  expect(letter!.text).toContain(`Subject: Your new account ${name}`)
  expect(letter!.text).toMatch(/Content-Type: text\/plain[\s\S]*Content-Type: text\/html/i)
  expect(linkIn(letter!.text)).toBe(made.url)
  await use(made.url!)
  expect(await signIn(name, NEXT)).toEqual(expect.any(String))
})

it('sends no email unless requested, and none to users without an email address', async () => {
  const user = await makeUser()
  const params = { domain_id: user.domain_id, id: user.id }
  const made = await server.call(passwordLinks.create, { as: admin, params, body: { mail: true }, headers: headers() })
  expect(made.mailed_to).toBeNull()
  await server.call(users.update, { as: admin, params: { id: user.id }, body: { email: 'x@example.com' } })
  expect(await server.call(passwordLinks.create, { as: admin, params })).toMatchObject({ url: null, mailed_to: null })
  await jobsAreOver()
  expect(mail.taken).toEqual([])
})

it('emails a reset link that lets the user set a new password', async () => {
  const user = await makeUser({ email: `${name}@example.com` })
  await forgotten(name)
  await jobsAreOver()
  expect(mail.taken.map(({ to }) => to)).toEqual([[user.email]])
  const link = linkIn(mail.taken[0]!.text)
  expect(link).toMatch(`${server.url}/password-link#`)
  const kept = await server.sql.query('select l::text as all from identity_reset_link l')
  expect(JSON.stringify(kept)).not.toContain(new URL(link).hash.slice(1))
  expect(await use(link)).toMatchObject({ id: user.id })
  expect(await refusal(use(link))).toMatchObject({ code: 'not_found' })
})

it('returns the same response for known and unknown users and sends a single email', async () => {
  await makeUser({ email: `${name}@example.com` })
  const others = { disabled: { enabled: false, email: 'd@example.com' }, silent: {} }
  for (const [other, draft] of Object.entries(others)) await makeUser({ name: `${name}_${other}`, ...draft })
  const statuses = []
  for (const username of [name, name, `${name}_disabled`, `${name}_silent`, 'nobody_at_all']) {
    const body = { username, domain: 'alpha' }
    const response = await server.fetch(passwordLinks.forgotten, { body, headers: headers() })
    statuses.push([response.status, await response.text()])
  }
  expect(statuses).toEqual(Array.from({ length: 5 }, () => [202, '']))
  await jobsAreOver()
  expect(mail.taken.map(({ to }) => to)).toEqual([[`${name}@example.com`]])
})

it('keeps an administrator’s link valid after a reset request until either link is used', async () => {
  const user = await makeUser({ email: `${name}@example.com` })
  const { token } = await server.call(passwordLinks.create, {
    as: admin,
    params: { domain_id: user.domain_id, id: user.id },
  })
  await forgotten(name)
  await jobsAreOver()
  const mailed = linkIn(mail.taken[0]!.text)
  await server.call(passwordLinks.use, { body: { token, new_password: NEXT } })
  expect(await refusal(use(mailed))).toMatchObject({ code: 'not_found' })
})

it('sends no email for requests from other sites or if the console’s address is unknown', async () => {
  await makeUser({ email: `${name}@example.com` })
  const evil = { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' }
  expect(await refusal(forgotten(name, 'alpha', evil))).toMatchObject({ code: 'csrf' })
  expect(await refusal(forgotten(name, 'alpha', {}))).toMatchObject({ code: 'unsupported' })
  await jobsAreOver()
  expect(mail.taken).toEqual([])
})

it('reports whether links can be sent by email, which requires a mail server', async () => {
  expect(await server.call(passwordLinks.way)).toEqual({ is_mailed: true })
  await setMailServer('')
  expect(await server.call(passwordLinks.way)).toEqual({ is_mailed: false })
  expect(await refusal(forgotten(name))).toMatchObject({ code: 'unsupported' })
  await setMailServer('127.0.0.1')
})

it('limits reset requests per IP address', async () => {
  let code = ''
  for (let count = 0; count < 12 && code === ''; count += 1)
    code = await forgotten('nobody_at_all').then(
      () => '',
      (problem: { code: string }) => problem.code,
    )
  expect(code).toBe('too_many_requests')
})

it('encrypts queued emails so that they can only be decrypted for their recipient', () => {
  const [key, other] = [new Secret('a'.repeat(32)), new Secret('b'.repeat(32))]
  const content = { text: 'https://console.example/password-link#secret', html: '<p>secret</p>' }
  const mailed = { to: 'ada@example.com', subject: 'x', sealed: sealContent(content, 'ada@example.com', key) }
  expect(Buffer.from(mailed.sealed, 'base64').toString('latin1')).not.toContain('secret')
  expect(openContent(mailed, key)).toEqual(content)
  expect(openContent(mailed, other)).toBeNull()
  expect(openContent({ ...mailed, to: 'eve@example.com' }, key)).toBeNull()
})
