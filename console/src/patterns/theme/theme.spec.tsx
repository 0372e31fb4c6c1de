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
/** Selects a file in a picture field. */
const choose = (name: string, file: File) => {
  const input = screen.getByRole('group', { name }).querySelector('input')!
  fireEvent.change(input, { target: { files: [file] } })
}

beforeEach(() => server.sql.query("delete from domain_property where key in ('theme', 'GeneralTheme')"))

it('lets an operator view, preview, save and reset a domain’s theme [UI-021]', async () => {
  await openPage(`/domains/${alpha()}`, 'superuser')
  expect((await part()).textContent).toContain('no custom appearance')
  press('Change appearance')
  const form = await screen.findByRole('dialog', { name: 'Domain appearance' }, pageTimeout)
  fill(/^Product name/, 'Acme')
  fireEvent.click(screen.getByRole('radio', { name: 'Teal' }))
  choose('Header logo', png(64))
  const preview = within(form).getByRole('figure', { name: 'Preview' })
  await waitFor(() => expect(preview.querySelector('img')?.src).toMatch(/^data:image\/png;base64,/))
  expect(preview.textContent).toContain('Acme')
  expect(preview.dataset['scheme']).toBe('teal')
  press('Save')
  await screen.findByText(/^This domain has a custom appearance/, {}, pageTimeout)
  const { logo, ...words } = (await kept(alpha(), THEME)) as Record<string, string>
  expect(words).toEqual({ productName: 'Acme', colorScheme: 'teal' })
  expect(logo).toMatch(/^data:image\/png;base64,iVBORw/)

  press('Reset')
  const question = await screen.findByRole('alertdialog', {}, pageTimeout)
  press('Reset', question)
  await waitFor(async () => expect((await part()).textContent).toContain('no custom appearance'))
  expect(await kept(alpha(), THEME)).toEqual({})
})

it('edits the installation-wide theme in the settings [UI-021]', async () => {
  await openPage('/settings/appearance', 'superuser')
  await part()
  press('Change appearance')
  await screen.findByRole('dialog', { name: 'Installation appearance' }, pageTimeout)
  fill(/^Product title/, 'Our cloud')
  fireEvent.click(screen.getByRole('checkbox'))
  press('Save')
  await screen.findByText('Domains without a custom appearance use this one.', {}, pageTimeout)
  expect(await kept(DEFAULT_DOMAIN_ID, GENERAL_THEME)).toEqual({ productTitle: 'Our cloud', limitedUse: true })
  // applies to every domain without its own theme
  expect(await kept(alpha(), THEME)).toEqual({ productTitle: 'Our cloud', limitedUse: true })
})

it(
  'shows an error for a picture that is too large or has the wrong type, and sends nothing',
  { tags: 'all' },
  async () => {
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
  },
)

it('shows the theme read-only without permission to write properties', async () => {
  await server.call(domainProperties.create, {
    ...{ as: 'superuser', params: { domain_id: alpha(), key: THEME } },
    body: { data: { productName: 'Acme' }, access: 'pub' },
  })
  await openPage(`/domains/${alpha()}`, 'viewer')
  expect((await part()).textContent).toContain('Acme')
  expect(screen.queryByRole('button', { name: 'Change appearance' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Reset' })).toBeNull()
})
