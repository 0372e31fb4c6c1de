import { notifications } from '@mainstay/contract/settings/notifications'
import { fireEvent, screen } from '@testing-library/react'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { MAIL_PASSWORD, startMailServer, type MailServer } from '../../../../../server/src/testing/outside/mail-server'
import { menuFor } from '../../../nav/menu'
import { sessionNow } from '../../../session/session'
import { closePage, enter as type, field, openPage, press, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 180_000 }
let mail: MailServer
withPages()
// preload the modules, which can take longer than the test timeout on a busy host
beforeAll(() => Promise.all([import('../SettingsPage'), import('./EmailPart')]))
beforeAll(async () => {
  mail = await startMailServer()
})
afterAll(() => mail.close())
beforeEach(async () => {
  await server.sql.query('delete from setting')
  mail.taken.length = 0
})

const open = (as: 'superuser' | 'viewer' | 'project-member' = 'superuser') => openPage('/settings/email', as)
const choose = async (security: string) => {
  fireEvent.click(await screen.findByRole('button', { name: /Connection security/ }, pageTimeout))
  fireEvent.click(await screen.findByRole('option', { name: security }, pageTimeout))
}
const fill = async () => {
  await type('Mail server', '127.0.0.1')
  await choose('None')
  await type(/^Port/, String(mail.port))
  await type('Account name', 'cloud')
  await type('Password', MAIL_PASSWORD)
  await type('Sender address', 'cloud@example.com')
}

it(
  'lets an operator test and save the email settings, and never shows the password again [UI-047] [VA-061] [VA-062]',
  long,
  async () => {
    await open()
    await fill()
    await type('Sender address', '  cloud@example.com ')
    await type('Recipients', 'ada@example.com, , grace@example.com ')
    await press('Send test email')
    await screen.findByText('The mail server accepted a test email for 2 recipients.', {}, pageTimeout)
    expect(mail.taken).toMatchObject([{ from: 'cloud@example.com', to: ['ada@example.com', 'grace@example.com'] }])
    expect((await server.call(notifications.view, { as: 'viewer' })).smtp_settings.smtp_server).toBe('')
    await press('Save')
    await screen.findByText('A password is saved. Leave empty to keep it.', {}, pageTimeout)
    expect((await field('Password')).value).toBe('')
    expect(await server.call(notifications.view, { as: 'viewer' })).toMatchObject({
      notification_settings: {
        from: 'cloud@example.com',
        email_recipients_list: ['ada@example.com', 'grace@example.com'],
      },
      smtp_settings: { smtp_server: '127.0.0.1', port: mail.port, has_password: true },
    })
  },
)

it(
  'reports the position of an invalid recipient, and of one that the mail server rejects',
  { ...long, tags: 'all' },
  async () => {
    await open()
    await fill()
    await type('Recipients', 'ada@example.com, b@@x')
    await press('Send test email')
    await screen.findByText('Recipient 2, “b@@x”, is not an email address', {}, pageTimeout)
    expect(mail.taken).toEqual([])
    await type('Recipients', 'nobody@example.com')
    await press('Send test email')
    expect(
      (await screen.findAllByText('The mail server rejected recipient 1, “nobody@example.com” (550)', {}, pageTimeout))
        .length,
    ).toBeGreaterThan(0)
  },
)

it('accepts only letters and digits in the cloud name, before anything is sent [VA-041]', long, async () => {
  const wrong = 'Use only letters and digits'
  await open()
  await fill()
  for (const name of ['Berlin 2', 'Berlin-2', 'Berlin_2', 'Zürich']) {
    await type('Cloud name', name)
    await press('Save')
    await screen.findByText(wrong, {}, pageTimeout)
    await type('Cloud name', 'Berlin2')
    await vi.waitFor(() => expect(screen.queryByText(wrong)).toBeNull(), pageTimeout)
  }
  expect((await server.call(notifications.view, { as: 'viewer' })).notification_settings.cloud_name).toBe('')
  await press('Save')
  await vi.waitFor(
    async () =>
      expect((await server.call(notifications.view, { as: 'viewer' })).notification_settings.cloud_name).toBe(
        'Berlin2',
      ),
    pageTimeout,
  )
})

it('changes the port with the security setting until the user edits it', { ...long, tags: 'all' }, async () => {
  await open()
  expect((await field(/^Port/)).value).toBe('587')
  await choose('SSL/TLS (implicit)')
  await vi.waitFor(async () => expect((await field(/^Port/)).value).toBe('465'), pageTimeout)
  await choose('None')
  await vi.waitFor(async () => expect((await field(/^Port/)).value).toBe('25'), pageTimeout)
  await type(/^Port/, '2525')
  await choose('STARTTLS')
  await screen.findByRole('button', { name: /STARTTLS/ }, pageTimeout)
  expect((await field(/^Port/)).value).toBe('2525')
})

it('shows the settings without a form to users with read-only access, and no settings to tenants', long, async () => {
  await server.call(notifications.save, {
    as: 'superuser',
    body: { notification_settings: { from: 'cloud@example.com' }, smtp_settings: { smtp_server: 'mail.example' } },
  })
  await open('viewer')
  await screen.findByText('mail.example:587', {}, pageTimeout)
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  closePage()
  await open('project-member')
  await screen.findByText('No access', {}, pageTimeout)
  expect(menuFor(sessionNow()).filter(({ id }) => id === 'settings')).toEqual([])
})
