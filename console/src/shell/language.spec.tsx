import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { nextLanguage } from '../i18n/available-languages'
import { currentLanguage, setLanguage } from '../i18n/language'
import { languages } from '../i18n/languages'
import { openPage, withPages } from '../testing/pages'
import { pageTimeout } from '../testing/page-timeout'
import { pressAndLoad } from '../testing/press-and-load'

const long = { timeout: 180_000 }
withPages()
beforeAll(() => import('./shortcuts/Shortcuts'), 180_000)
afterEach(async () => {
  vi.restoreAllMocks()
  await act(() => setLanguage('en'))
})

const openMenu = async () => {
  await openPage('/compute/volumes', 'project-member')
  await pressAndLoad(await screen.findByRole('button', { name: 'Account menu: project_member' }, pageTimeout))
}

it('the account menu changes the language without a reload [UI-073]', long, async () => {
  await openMenu()
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Change language' }, pageTimeout))
  const choice = within(await screen.findByRole('dialog', { name: 'Language' }, pageTimeout))
  expect(choice.getAllByRole('radio').map((it) => (it as HTMLInputElement).value)).toEqual(['en', 'en-XA'])
  fireEvent.click(choice.getByRole('radio', { name: 'Pseudo' }))
  await vi.waitFor(() => expect(currentLanguage().id).toBe('en-XA'), pageTimeout)
  // the open dialog is also translated
  await screen.findByRole('dialog', { name: /^\[.*~\]$/ }, pageTimeout)
})

it(
  'keeps the choice for ten years in a cookie that is Secure and SameSite=Strict [CO-003] [UI-053]',
  long,
  async () => {
    await openMenu()
    const set = vi.spyOn(Document.prototype, 'cookie', 'set')
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Change language' }, pageTimeout))
    fireEvent.click(await screen.findByRole('radio', { name: 'Pseudo' }, pageTimeout))
    await vi.waitFor(() => expect(set).toHaveBeenCalled(), pageTimeout)
    const parts = set.mock.calls[0]![0].split('; ')
    expect(parts).toEqual(expect.arrayContaining(['language=en-XA', 'max-age=315360000', 'secure', 'samesite=strict']))
  },
)

it('Ctrl+L switches to the next language and Ctrl+Shift+L to the previous one [UI-054] [UI-055]', long, async () => {
  const of = (id: string) => languages.find((it) => it.id === id)!
  const three = [of('de'), of('en'), of('tr')]
  expect([nextLanguage(of('en'), 1, three).id, nextLanguage(of('tr'), 1, three).id]).toEqual(['tr', 'de'])
  expect([nextLanguage(of('en'), -1, three).id, nextLanguage(of('de'), -1, three).id]).toEqual(['de', 'tr'])

  await openPage('/compute/volumes', 'project-member')
  await screen.findByRole('heading', { level: 1 }, pageTimeout)
  const press = (more: KeyboardEventInit) => fireEvent.keyDown(document.body, { key: 'l', ctrlKey: true, ...more })
  // repeat until the shortcuts are active
  await vi.waitFor(() => {
    press({})
    expect(currentLanguage().id).toBe('en-XA')
  }, pageTimeout)
  press({ shiftKey: true, key: 'L' })
  await vi.waitFor(() => expect(currentLanguage().id).toBe('en'), pageTimeout)
  // in a field the browser handles Ctrl+L
  const box = await screen.findByRole('combobox', {}, pageTimeout)
  act(() => box.focus())
  expect(fireEvent.keyDown(box, { key: 'l', ctrlKey: true })).toBe(true)
  expect(currentLanguage().id).toBe('en')
})
