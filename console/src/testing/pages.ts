import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import { act, fireEvent, screen, within } from '@testing-library/react'
import type { PersonaName } from '../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { useNotices } from '../notices/notices'
import { withLayout } from './browser'
import { pressAndLoad } from './press-and-load'
import { renderPage } from './render-page'
import { pageTimeout } from './page-timeout'

/* Pages of one server, one at a time, for a file of specs. */

export let server: TestServer
export let page: Awaited<ReturnType<typeof renderPage>> | undefined

/** One server for the file; the page that is open goes with its test. */
export function withPages(): void {
  withLayout()
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  afterEach(closePage)
}

/** Opens a page in the place of the one that is open. With a session's `cookie` one's own account answers as well. */
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
/** A field of the page that is open, by its label. */
export const field = (label: RegExp | string) =>
  screen.findByLabelText<HTMLInputElement>(label, { selector: 'input, textarea' }, pageTimeout)
/** Types into a field of the page, and leaves it. */
export async function enter(label: RegExp | string, value: string): Promise<void> {
  const input = await field(label)
  input.focus()
  fireEvent.change(input, { target: { value } })
  fireEvent.blur(input)
}
export const press = async (name: string | RegExp) => pressAndLoad(await screen.findByRole('button', { name }, pageTimeout))
export const expectAddress = (path: string) => vi.waitFor(() => expect(page!.address()).toBe(path), pageTimeout)
export const told = () => useNotices.getState().notices.map(({ title }) => title)

/** Presses a button as soon as it can be pressed: a row that is changed is busy until the page knows of it too. */
export async function pressWhenReady(button: () => HTMLElement): Promise<void> {
  await vi.waitFor(() => expect(button().hasAttribute('disabled')).toBe(false), pageTimeout)
  fireEvent.click(button())
}

/** Types into a box to choose from, and takes what is found. */
export async function choose(place: Pick<typeof screen, 'findByRole'>, label: string, name: string) {
  const box = await place.findByRole('combobox', { name: label }, pageTimeout)
  act(() => box.focus())
  fireEvent.change(box, { target: { value: name } })
  // one that answers an earlier text cannot be chosen
  await vi.waitFor(() => {
    expect(screen.getByRole('option', { name }).getAttribute('aria-disabled')).not.toBe('true')
  }, pageTimeout)
  fireEvent.click(screen.getByRole('option', { name }))
  await vi.waitFor(() => expect(screen.queryByRole('listbox')).toBeNull(), pageTimeout)
}

/** Deletes a row of the list that is open, by its menu; what takes time goes on afterwards. */
export async function deleteRow(name: string): Promise<void> {
  const row = within(await screen.findByRole('row', { name }, pageTimeout))
  await pressAndLoad(row.getByRole('button', { name: `Actions of ${name}` }))
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Delete/ }, pageTimeout))
  await confirmDialog()
}
export const isGone = (name: string) =>
  vi.waitFor(() => expect(screen.queryByRole('row', { name })).toBeNull(), pageTimeout)

/** Presses the button of a question that does what it asks, which is its last. */
export async function confirmDialog(): Promise<void> {
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  const buttons = question.getAllByRole('button')
  fireEvent.click(buttons.find((it) => it.textContent !== 'Cancel')!)
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull(), pageTimeout)
}
