import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { sessionNow, setSession } from '../../session/session'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

async function openMenu() {
  page = await renderPage('/compute/ssh-keys', { server, as: 'project-member' })
  const button = await screen.findByRole('button', { name: /^Account menu: / })
  return button
}

async function openForm() {
  fireEvent.click(await openMenu())
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Change password' }))
  const form = within(await screen.findByRole('dialog'))
  const field = (name: string) => form.getByLabelText(name)
  const fill = (name: string, value: string) => {
    fireEvent.change(field(name), { target: { value } })
    fireEvent.blur(field(name))
  }
  return { form, field, fill }
}

it('shows each error on its field [VA-001] [VA-002] [VA-003] [VA-005]', async () => {
  const { form, fill } = await openForm()
  fireEvent.click(form.getByRole('button', { name: 'Change password' }))
  await form.findByText('Enter your current password')
  expect(form.getByText('Enter a new password')).toBeTruthy()
  fill('Current password', 'the same horse 12')
  fill('New password', 'the same horse 12')
  await form.findByText('Choose a password that is different from the current one')
  fill('New password', 'another horse 12')
  fill('Repeat new password', 'another')
  await form.findByText('The passwords do not match')
})

it('validates the confirmation again when the new password changes [VA-004]', async () => {
  const { form, field, fill } = await openForm()
  fill('Current password', 'old')
  fill('New password', 'a new horse, no 1')
  fill('Repeat new password', 'a new horse, no 1')
  expect(form.queryByText('The passwords do not match')).toBeNull()
  fill('New password', 'a new horse, no 2')
  await form.findByText('The passwords do not match')
  expect(field('Repeat new password').getAttribute('aria-invalid')).toBe('true')
  fill('New password', 'a new horse, no 1')
  await vi.waitFor(() => expect(form.queryByText('The passwords do not match')).toBeNull())
})

it('shows the rules for a new password and which of them are met [VA-043] [VA-044]', async () => {
  const { form, fill } = await openForm()
  const rule = (text: RegExp) => form.getByText(text).closest('li')!.textContent
  const [long, strong] = [/^at least 16 characters/, /^at least 12 characters/]
  expect([rule(long), rule(strong)]).toEqual([expect.stringMatching(/Not met$/), expect.stringMatching(/Not met$/)])
  fill('New password', 'short 1')
  await form.findByText(/^Use at least 12 characters with uppercase and lowercase letters/)
  fill('New password', 'correct horse 12')
  await vi.waitFor(() => expect(rule(long)).toMatch(/digitsMet$/))
  expect(rule(strong)).toMatch(/Not met$/)
  fill('New password', 'Horse, 12 ft')
  await vi.waitFor(() => expect(rule(strong)).toMatch(/symbolsMet$/))
  expect(rule(long)).toMatch(/Not met$/)
})

it('the menu offers a password change, except to users from an identity provider [PE-019] [UI-074]', async () => {
  await openForm()
  page!.close()
  const button = await openMenu()
  setSession({ user: { ...sessionNow().user!, external_provider: 'company' } })
  fireEvent.click(button)
  await screen.findByRole('menuitem', { name: 'Sign out' })
  expect(screen.queryByRole('menuitem', { name: 'Change password' })).toBeNull()
})
