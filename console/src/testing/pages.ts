import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import { act, fireEvent, screen, within } from '@testing-library/react'
import type { PersonaName } from '../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { useNotices } from '../notices/notices'
import { withLayout } from './browser'
import { pressAndLoad } from './press-and-load'
import { renderPage } from './render-page'
import { pageTimeout } from './page-timeout'

/* Opens pages for a spec file, one at a time, on one server. */

export let server: TestServer
export let page: Awaited<ReturnType<typeof renderPage>> | undefined

/** Starts one server for the file and closes the page after each test. */
export function withPages(): void {
  withLayout()
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  afterEach(closePage)
}

/** Opens a page and closes the previous one. With a session `cookie`, calls for the user’s own account also work. */
export async function openPage(path: string, as: PersonaName, cookie?: string) {
  closePage()
  return (page = await renderPage(path, { server, as, ...(cookie !== undefined && { cookie }) }))
}

export function closePage(): void {
  page?.close()
  page = undefined
}

export const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }, pageTimeout))
export const type = (form: Awaited<ReturnType<typeof dialog>>, label: RegExp, value: string) =>
  fireEvent.change(form.getByLabelText(label), { target: { value } })
/** Finds a field on the page by its label. */
export const field = (label: RegExp | string) =>
  screen.findByLabelText<HTMLInputElement>(label, { selector: 'input, textarea' }, pageTimeout)
/** Changes a field on the page and moves the focus away from it. */
export async function enter(label: RegExp | string, value: string): Promise<void> {
  const input = await field(label)
  input.focus()
  fireEvent.change(input, { target: { value } })
  fireEvent.blur(input)
}
export const press = async (name: string | RegExp) =>
  pressAndLoad(await screen.findByRole('button', { name }, pageTimeout))
export const expectAddress = (path: string) => vi.waitFor(() => expect(page!.address()).toBe(path), pageTimeout)
export const told = () => useNotices.getState().notices.map(({ title }) => title)

/** Presses a button once it is enabled. A changed row stays busy until the page receives the update. */
export async function pressWhenReady(button: () => HTMLElement): Promise<void> {
  await vi.waitFor(() => expect(button().hasAttribute('disabled')).toBe(false), pageTimeout)
  fireEvent.click(button())
}

/** Types into a combobox and selects the matching option. */
export async function choose(place: Pick<typeof screen, 'findByRole'>, label: string, name: string) {
  const box = await place.findByRole('combobox', { name: label }, pageTimeout)
  act(() => box.focus())
  fireEvent.change(box, { target: { value: name } })
  // wait until the options match the typed text, because outdated options are disabled
  await vi.waitFor(() => {
    expect(screen.getByRole('option', { name }).getAttribute('aria-disabled')).not.toBe('true')
  }, pageTimeout)
  fireEvent.click(screen.getByRole('option', { name }))
  await vi.waitFor(() => expect(screen.queryByRole('listbox')).toBeNull(), pageTimeout)
}

/** Deletes a row through its menu. The deletion may still be running on return. */
export async function deleteRow(name: string): Promise<void> {
  const row = within(await screen.findByRole('row', { name }, pageTimeout))
  await pressAndLoad(row.getByRole('button', { name: `Actions for ${name}` }))
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Delete/ }, pageTimeout))
  await confirmDialog()
}
export const isGone = (name: string) =>
  vi.waitFor(() => expect(screen.queryByRole('row', { name })).toBeNull(), pageTimeout)

/** Confirms the open confirmation dialog. */
export async function confirmDialog(): Promise<void> {
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  const buttons = question.getAllByRole('button')
  fireEvent.click(buttons.find((it) => it.textContent !== 'Cancel')!)
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull(), pageTimeout)
}
