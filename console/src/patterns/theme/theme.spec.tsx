import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { GENERAL_THEME, THEME } from '@mainstay/contract/identity/themes'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { openPage, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

withPages()
const alpha = () => server.cast.domains['alpha']!.id
const kept = (domain_id: string, key: string) =>
  server.call(domainProperties.view, { as: 'superuser', params: { domain_id, key } })
const part = () => screen.findByRole('region', { name: 'Appearance' }, pageTimeout)
const press = (name: string, inside: HTMLElement = document.body) =>
  fireEvent.click(within(inside).getByRole('button', { name }))
const fill = (name: RegExp, value: string) => fireEvent.change(screen.getByLabelText(name), { target: { value } })
const png = (bytes: number) => {
  const all = new Uint8Array(bytes)
  all.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return new File([all], 'logo.png', { type: 'image/png' })
}
/** Gives a file to the field of a picture, as choosing one does. */
const choose = (name: string, file: File) => {
  const input = screen.getByRole('group', { name }).querySelector('input')!
  fireEvent.change(input, { target: { files: [file] } })
}

beforeEach(() => server.sql.query("delete from domain_property where key in ('theme', 'GeneralTheme')"))

it('an operator looks at the theme of a domain, sets it with a preview, and takes it back [UI-021]', async () => {
  await openPage(`/domains/${alpha()}`, 'superuser')
  expect((await part()).textContent).toContain('no appearance of its own')
  press('Change appearance')
  const form = await screen.findByRole('dialog', { name: 'Appearance of the domain' }, pageTimeout)
  fill(/^Product name/, 'Acme')
  fireEvent.click(screen.getByRole('radio', { name: 'Teal' }))
  choose('Logo in the header', png(64))
  const preview = within(form).getByRole('figure', { name: 'Preview' })
  await waitFor(() => expect(preview.querySelector('img')?.src).toMatch(/^data:image\/png;base64,/))
  expect(preview.textContent).toContain('Acme')
  expect(preview.dataset['scheme']).toBe('teal')
  press('Save')
  await screen.findByText(/^The domain has an appearance of its own/, {}, pageTimeout)
  const { logo, ...words } = (await kept(alpha(), THEME)) as Record<string, string>
  expect(words).toEqual({ productName: 'Acme', colorScheme: 'teal' })
  expect(logo).toMatch(/^data:image\/png;base64,iVBORw/)

  press('Reset')
  const question = await screen.findByRole('alertdialog', {}, pageTimeout)
  press('Reset', question)
  await waitFor(async () => expect((await part()).textContent).toContain('no appearance of its own'))
  expect(await kept(alpha(), THEME)).toEqual({})
})

it('the look of the whole installation is a part of the settings [UI-021]', async () => {
  await openPage('/settings/appearance', 'superuser')
  await part()
  press('Change appearance')
  await screen.findByRole('dialog', { name: 'Appearance of the installation' }, pageTimeout)
  fill(/^Product title/, 'Our cloud')
  fireEvent.click(screen.getByRole('checkbox'))
  press('Save')
  await screen.findByText('Domains without an appearance of their own show this one.', {}, pageTimeout)
  expect(await kept(DEFAULT_DOMAIN_ID, GENERAL_THEME)).toEqual({ productTitle: 'Our cloud', limitedUse: true })
  // every domain without one of its own has it
  expect(await kept(alpha(), THEME)).toEqual({ productTitle: 'Our cloud', limitedUse: true })
})

it('a picture that is too large or of another type is said at its field, and nothing is sent', async () => {
  await openPage(`/domains/${alpha()}`, 'superuser')
  await part()
  press('Change appearance')
  await screen.findByRole('dialog', {}, pageTimeout)
  choose('Browser icon', png(65 * 1024))
  await screen.findByRole('button', { name: 'Choose another file' }, pageTimeout)
  press('Save')
  const field = screen.getByRole('group', { name: 'Browser icon' })
  await waitFor(() => expect(within(field).getByRole('alert').textContent).toBe('Use an image of at most 64 KiB'))
  press('Remove')
  choose('Browser icon', new File(['<p>'], 'page.html', { type: 'text/html' }))
  await waitFor(() => expect(within(field).getByRole('alert').textContent).toMatch(/^Use an image/))
  expect(await kept(alpha(), THEME)).toEqual({})
})

it('who does not write properties sees the theme and cannot change it', async () => {
  await server.call(domainProperties.create, {
    ...{ as: 'superuser', params: { domain_id: alpha(), key: THEME } },
    body: { data: { productName: 'Acme' }, access: 'pub' },
  })
  await openPage(`/domains/${alpha()}`, 'viewer')
  expect((await part()).textContent).toContain('Acme')
  expect(screen.queryByRole('button', { name: 'Change appearance' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Reset' })).toBeNull()
})
