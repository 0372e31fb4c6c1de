import { Notifications, notifications } from '@mainstay/contract/settings/notifications'
import { Secret } from '@mainstay/engines/ports/secret'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { MAIL_PASSWORD, startMailServer, type MailServer } from '../../testing/outside/mail-server'
import { mailSetting } from '../../mail/mailer'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
let mail: MailServer
const as = 'superuser'
beforeAll(async () => {
  ;[server, mail] = await Promise.all([startServer(), startMailServer()])
})
afterAll(async () => {
  await server.close()
  await mail.close()
})
beforeEach(async () => {
  await server.sql.query('delete from setting')
  mail.taken.length = 0
})

const notification_settings = {
  from: 'cloud@example.com',
  sender_name: 'Cloud',
  cloud_name: 'Berlin2',
  email_recipients_list: ['ada@example.com'],
  alerts_severities: ['error' as const],
}
const smtp = () => ({
  ...{ smtp_server: '127.0.0.1', port: mail.port, connection_security: 'none' as const },
  ...{ account_name: 'cloud', password: MAIL_PASSWORD },
})
const save = ({ body }: { body: object }) => server.call(notifications.save, { as, body })
const saveAll = () => save({ body: { notification_settings, smtp_settings: smtp() } })
const view = () => server.call(notifications.view, { as })
const test = (body: object = {}) => server.call(notifications.test, { as, body })

describe('email settings', () => {
  it('have defaults from the start, such as the port [CA-260] [CO-076]', async () => {
    const shown = await view()
    expect(Notifications.parse(shown)).toEqual(shown)
    expect(shown.smtp_settings).toMatchObject({ smtp_server: '', port: 587, connection_security: 'STARTTLS' })
  })

  it('are saved and returned with a flag instead of the password [EN-070] [CA-261]', async () => {
    const { password: _, ...told } = smtp()
    const wanted = { notification_settings, smtp_settings: { ...told, has_password: true } }
    expect(await saveAll()).toEqual(wanted)
    expect(await view()).toEqual(wanted)
    expect(Object.keys(wanted.notification_settings)).toEqual(
      expect.arrayContaining(['from', 'sender_name', 'email_recipients_list', 'alerts_severities']),
    )
  })

  it('keep the values of fields that a change omits', async () => {
    await saveAll()
    const saved = await save({ body: { notification_settings: { alerts_severities: [] } } })
    expect(saved.notification_settings).toEqual({ ...notification_settings, alerts_severities: [] })
    expect(saved.smtp_settings).toMatchObject({ smtp_server: '127.0.0.1', has_password: true })
    await test()
    expect(mail.taken[0]).toMatchObject({ account: 'cloud' })
  })

  it('can be viewed by operators, changed by administrators and are hidden from tenants', async () => {
    expect(await server.call(notifications.view, { as: 'viewer' })).toEqual(await view())
    const forbidden = { code: 'forbidden' }
    for (const who of ['viewer', 'compute-operator', 'domain-admin', 'project-member'] as const) {
      await expect(server.call(notifications.save, { as: who, body: {} })).rejects.toMatchObject(forbidden)
      await expect(server.call(notifications.test, { as: who, body: {} })).rejects.toMatchObject(forbidden)
    }
    for (const who of ['domain-admin', 'project-member'] as const)
      await expect(server.call(notifications.view, { as: who })).rejects.toMatchObject(forbidden)
  })

  it('accept a cloud name of letters and digits, which starts each email subject [VA-041]', async () => {
    await saveAll()
    for (const name of ['Berlin 2', 'Berlin-2', 'Berlin_2', 'Zürich', 'a/b', 'a.b', '[x]', 'x\r\nBcc: b@c.de'])
      await expect(save({ body: { notification_settings: { cloud_name: name } } })).rejects.toMatchObject({
        code: 'validation',
        fields: { 'notification_settings.cloud_name': ['Use only letters and digits'] },
      })
    for (const name of ['2', 'B', 'abcXYZ0189', 'x'.repeat(32), ''])
      expect(await save({ body: { notification_settings: { cloud_name: name } } })).toMatchObject({
        notification_settings: { cloud_name: name },
      })
    const { value } = (await server.tools.settings.read(mailSetting))!
    const sendAs = (cloud_name: string) =>
      server.tools.mailer.send(
        { ...value, notification_settings: { ...value.notification_settings, cloud_name } },
        new Secret(MAIL_PASSWORD),
        { to: ['ada@example.com'], subject: 'Told', text: 'x' },
      )
    await sendAs('Berlin2')
    await sendAs('')
    const subjects = mail.taken.map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1])
    expect(subjects).toEqual(['[Berlin2] Told', 'Told'])
  })

  it('are refused with an error on the invalid field', async () => {
    const refused = async (body: object, field: string) =>
      expect(server.call(notifications.save, { as, body })).rejects.toMatchObject({
        code: 'validation',
        fields: { [field]: expect.any(Array) },
      })
    await refused({ smtp_settings: { port: 0 } }, 'smtp_settings.port')
    await refused({ smtp_settings: { port: 65536 } }, 'smtp_settings.port')
    await refused({ smtp_settings: { connection_security: 'TLS' } }, 'smtp_settings.connection_security')
    await refused({ smtp_settings: { smtp_server: 'mail.example/path' } }, 'smtp_settings.smtp_server')
    await refused({ smtp_settings: { smtp_server: 'mail.example' } }, 'notification_settings.from')
    await refused({ notification_settings: { sender_name: 'a\r\nBcc: b@c.de' } }, 'notification_settings.sender_name')
    await refused(
      { notification_settings: { alerts_severities: ['critical'] } },
      'notification_settings.alerts_severities.0',
    )
  })

  it('accept the format that programs use, with a port as text and null for unchanged fields', async () => {
    const smtp_settings = { ...smtp(), port: String(mail.port) } as never
    const saved = await save({ body: { notification_settings, smtp_settings } })
    expect(saved.smtp_settings.port).toBe(mail.port)
    const unset = { from: null, sender_name: null, email_recipients_list: null, alerts_severities: ['info'] }
    expect((await save({ body: { notification_settings: unset as never } })).notification_settings).toEqual({
      ...saved.notification_settings,
      alerts_severities: ['info'],
    })
  })
})

describe('the password of the email account', () => {
  const inDatabase = async (): Promise<string> =>
    JSON.stringify(await server.sql.query("select value, encode(sealed, 'escape') as sealed from setting")) +
    JSON.stringify(await server.sql.query('select * from audit'))

  it('can be read neither from the database nor from the audit log', async () => {
    await saveAll()
    expect(await inDatabase()).toContain('cloud@example.com')
    expect(await inDatabase()).not.toContain(MAIL_PASSWORD)
  })

  it('is sent only to the server, port and account it was entered for, with the same security', async () => {
    await saveAll()
    for (const other of [
      { smtp_server: 'localhost' },
      { port: mail.port + 1 },
      { account_name: 'another' },
      { connection_security: 'STARTTLS' as const },
    ]) {
      const asked = { code: 'validation', fields: { 'smtp_settings.password': [expect.stringMatching(/again/)] } }
      await expect(save({ body: { smtp_settings: other } })).rejects.toMatchObject(asked)
      await expect(test({ smtp_settings: other })).rejects.toMatchObject(asked)
    }
    expect(mail.taken).toEqual([])
  })

  it('must be entered again if it was encrypted with another key', async () => {
    await saveAll()
    await server.sql.query('update setting set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)')
    expect((await view()).smtp_settings.has_password).toBe(true)
    await expect(test()).rejects.toMatchObject({
      fields: { 'smtp_settings.password': [expect.stringMatching(/again/)] },
    })
    await saveAll()
    expect((await test()).recipients).toEqual(['ada@example.com'])
  })
})

describe('recipients and sender', () => {
  const from = '  cloud@example.com '
  const list = 'ada@example.com, , grace@example.com '

  it('splits recipients on commas, trims them and drops empty ones when saving and testing [VA-062]', async () => {
    const two = ['ada@example.com', 'grace@example.com']
    for (const email_recipients_list of [list, [list], ['ada@example.com', ' ', ' grace@example.com']] as never[]) {
      const body = { notification_settings: { ...notification_settings, email_recipients_list }, smtp_settings: smtp() }
      expect((await test(body)).recipients).toEqual(two)
      expect(mail.taken.pop()!.to).toEqual(two)
      expect((await save({ body })).notification_settings.email_recipients_list).toEqual(two)
    }
  })

  it('trims the sender when saving and testing [VA-061]', async () => {
    const sender = { ...notification_settings, from, sender_name: ' Cloud ' }
    const body = { notification_settings: sender, smtp_settings: smtp() }
    await test(body)
    expect(mail.taken[0]!.from).toBe('cloud@example.com')
    expect(mail.taken[0]!.text).toMatch(/^From: Cloud <cloud@example\.com>\r$/m)
    expect((await save({ body })).notification_settings).toMatchObject({
      from: 'cloud@example.com',
      sender_name: 'Cloud',
    })
  })

  it('reports the position of an invalid recipient', async () => {
    const email_recipients_list = `${list}, b@@x` as never
    const body = { notification_settings: { ...notification_settings, email_recipients_list }, smtp_settings: smtp() }
    for (const call of [() => save({ body }), () => test(body)])
      await expect(call()).rejects.toMatchObject({
        code: 'invalid_recipient',
        message: 'Recipient 3, “b@@x”, is not an email address',
        fields: { 'notification_settings.email_recipients_list.2': [expect.any(String)] },
        data: { recipients: [2] },
      })
    expect(mail.taken).toEqual([])
  })

  it('refuses more than 50 recipients', async () => {
    const email_recipients_list = Array.from({ length: 51 }, (_, at) => `a${at}@example.com`)
    await expect(save({ body: { notification_settings: { email_recipients_list } } })).rejects.toMatchObject({
      code: 'validation',
    })
  })
})

describe('a test email', () => {
  it('is sent to all recipients using unsaved settings [CA-262]', async () => {
    expect(await test({ notification_settings, smtp_settings: smtp() })).toEqual({ recipients: ['ada@example.com'] })
    expect(mail.taken).toMatchObject([{ to: ['ada@example.com'], account: 'cloud' }])
    expect((await view()).smtp_settings.smtp_server).toBe('')
  })

  it('reports errors for the server, the account and individual recipients', async () => {
    const tested = (more: object, recipients = ['ada@example.com']) =>
      test({
        notification_settings: { ...notification_settings, email_recipients_list: recipients },
        smtp_settings: { ...smtp(), ...more },
      })
    await expect(tested({ password: 'wrong' })).rejects.toMatchObject({ code: 'smtp_auth_failed' })
    await expect(tested({ connection_security: 'STARTTLS' })).rejects.toMatchObject({ code: 'smtp_untrusted' })
    await expect(tested({ port: 1 })).rejects.toMatchObject({ code: 'smtp_unreachable' })
    await expect(tested({}, ['ada@example.com', 'nobody@example.com'])).rejects.toMatchObject({
      code: 'invalid_recipient',
      fields: {
        'notification_settings.email_recipients_list.1': [expect.stringMatching(/rejected recipient 2.*\(550\)/)],
      },
    })
    await expect(tested({}, [])).rejects.toMatchObject({ code: 'validation' })
    await expect(test()).rejects.toMatchObject({ code: 'validation' })
  })
})

describe('a queued email', () => {
  const jobs = () =>
    server.sql.query<{ id: string; state: { tried: number } | null; waits: boolean }>(
      "select id, state, owner is null and not_before > now() as waits from job where name = 'mail.send'",
    )

  it('is sent only to subscribers of its severity', async () => {
    await saveAll()
    await server.tools.mailer.alert('info', { subject: 'Not wanted', text: 'x' })
    const [taken] = await Promise.all([
      mail.next(),
      server.tools.mailer.alert('error', { subject: 'Wanted', text: 'x' }),
    ])
    expect(taken).toMatchObject({
      to: ['ada@example.com'],
      text: expect.stringMatching(/^Subject: \[Berlin2\] Wanted\r$/m),
    })
    await vi.waitFor(async () => expect(await jobs()).toEqual([]))
    expect(mail.taken).toHaveLength(1)
  })

  it('is kept while the mail server is unavailable, and sent later', async () => {
    await saveAll()
    await save({ body: { smtp_settings: { ...smtp(), port: 1 } } })
    await server.tools.mailer.queue(['grace@example.com'], { subject: 'Later', text: 'x' })
    await vi.waitFor(async () => expect(await jobs()).toMatchObject([{ state: { tried: 1 }, waits: true }]))
    await saveAll()
    const taken = mail.next()
    await server.sql.query("update job set not_before = now() where name = 'mail.send'")
    await server.sql.query("select pg_notify('mainstay_jobs', '')")
    expect(await taken).toMatchObject({ to: ['grace@example.com'] })
    await vi.waitFor(async () => expect(await jobs()).toEqual([]))
  })

  it('is dropped after two hours of attempts, or immediately if it can never succeed', async () => {
    const attempt = server.tools.mailer.attempt
    const one = { to: 'nobody@example.com', subject: 'x', text: 'x' }
    await saveAll()
    expect(await attempt(one, 'one', 0)).toEqual({ sent: false })
    await save({ body: { smtp_settings: { ...smtp(), port: 1 } } })
    const waits: number[] = []
    for (let tried = 0; ; tried += 1) {
      const outcome = await attempt(one, 'one', tried)
      if ('sent' in outcome) break
      waits.push(outcome.again / 60_000)
    }
    expect(waits).toEqual([1, 5, ...Array.from({ length: 12 }, () => 10)])
  })

  it('is dropped if no mail server is configured', async () => {
    await server.tools.mailer.queue(['ada@example.com'], { subject: 'x', text: 'x' })
    expect(await jobs()).toEqual([])
  })
})
