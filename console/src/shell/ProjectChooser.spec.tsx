import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { loadTexts } from '../i18n/use-t'
import { removeNotice, useNotices } from '../notices/notices'
import { isDomainMode, sessionNow, setSession } from '../session/session'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { renderUi } from '../testing/render-ui'
import { ProjectChooser } from './ProjectChooser'
import { pressAndLoad } from '../testing/press-and-load'

const projects = [
  { id: 'p-one', name: 'one', enabled: true },
  { id: 'p-two', name: 'Two (spare)', enabled: true },
  { id: 'p-off', name: 'closed', enabled: false },
]
const asked: string[] = []

beforeAll(() => loadTexts('shell'))
beforeEach(() => {
  freshSession()
  keepAccess()
  asked.length = 0
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    const reply = address.endsWith('/accounts/projects')
      ? { data: projects }
      : { token: 'entered', permissions: {}, scope: { kind: 'domain' } }
    return Promise.resolve(Response.json(reply))
  })
})
afterEach(() => vi.unstubAllGlobals())

async function open(roles: string[]) {
  const user = { id: 'u', name: 'mo', roles, domain_id: 'd', external_provider: null } as never
  setSession({ status: 'signed-in', user, project: { id: 'p-one', name: 'one' }, projects: projects as never })
  renderUi(<ProjectChooser />)
  await pressAndLoad(screen.getByRole('button', { name: 'Project: one' }))
  const list = await screen.findByRole('list')
  return within(list).getAllByRole<HTMLButtonElement>('button')
}
const texts = (buttons: HTMLButtonElement[]) => buttons.map(({ textContent }) => textContent)

it('labels a disabled project, and does not allow choosing it or the current project [UI-069] [UI-070]', async () => {
  const options = await open(['project_member'])
  expect(texts(options)).toEqual(['onecurrent', 'Two (spare)', 'closeddisabled'])
  expect(options.map(({ disabled }) => disabled)).toEqual([true, false, true])
  fireEvent.click(options[2]!)
  expect(asked.filter((address) => address.includes('/auth'))).toEqual([])
})

it('lists the project names, marks disabled projects and enters the chosen project by its ID [EN-009]', async () => {
  const options = await open(['project_member'])
  expect(texts(options).map((text) => text.replace(/current|disabled/, ''))).toEqual(projects.map(({ name }) => name))
  expect(options.map(({ textContent }) => textContent.includes('disabled'))).toEqual(
    projects.map(({ enabled }) => !enabled),
  )
  fireEvent.click(options[1]!)
  await vi.waitFor(() => expect(asked.some((address) => address.includes('p-two'))).toBe(true))
  // wait for the switch to finish; otherwise it would receive the responses meant for the next test
  await vi.waitFor(() =>
    expect(sessionNow()).toMatchObject({ status: 'signed-in', project: { id: 'p-two' }, meta: expect.anything() }),
  )
  expect(asked.filter((address) => address.includes('p-off'))).toEqual([])
})

it('offers domain administration only to domain administrators [UI-068] [PE-007]', async () => {
  const options = await open(['domain_admin'])
  expect(texts(options)).toEqual(['Domain administration', 'onecurrent', 'Two (spare)', 'closeddisabled'])
  expect(options[0]!.disabled).toBe(false)
  expect(isDomainMode(sessionNow())).toBe(false)
  fireEvent.click(options[0]!)
  await vi.waitFor(() => {
    expect(isDomainMode(sessionNow())).toBe(true)
    expect(sessionNow()).toMatchObject({ status: 'signed-in', project: null, meta: expect.anything() })
  })
})

it('labels the admin panel but not the self-service panel', () => {
  setSession({ status: 'signed-in', panel: { panel: 'admin' } as never })
  const { unmount } = renderUi(<ProjectChooser />)
  expect(screen.getByText('Administration')).toBeTruthy()
  unmount()
  setSession({ status: 'signed-in', panel: { panel: 'self-service' } as never })
  renderUi(<ProjectChooser />)
  expect(screen.getByRole('button', { name: /^Project:/ })).toBeTruthy()
  expect(screen.queryByText('Administration')).toBeNull()
})

it('reports a project that cannot be entered and stays in the current one', async () => {
  for (const { id } of useNotices.getState().notices) removeNotice(id)
  const options = await open(['project_member'])
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ error: { message: 'Not now', err_code: 'unavailable' } }, { status: 503 })),
  )
  fireEvent.click(options[1]!)
  await vi.waitFor(() => {
    const told = useNotices.getState().notices.map(({ type, title }) => [type, title])
    expect(told).toEqual([['error', 'Could not switch projects']])
    expect(sessionNow()).toMatchObject({ status: 'signed-in', project: { id: 'p-one' } })
  })
})

it('searches for part of a name, ignoring case and taking special characters literally [UI-067]', async () => {
  await open(['project_member'])
  const names = (typed: string) => {
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search projects' }), { target: { value: typed } })
    return texts(within(screen.getByRole('list')).queryAllByRole<HTMLButtonElement>('button'))
  }
  expect(names('TWO')).toEqual(['Two (spare)'])
  expect(names('(sp')).toEqual(['Two (spare)'])
  expect(names('.')).toEqual([])
  expect(names('')).toHaveLength(3)
})

it('reloads the projects 300 ms after the last keystroke in the search [CO-006]', async () => {
  await open(['project_member'])
  const box = screen.getByRole('searchbox', { name: 'Search projects' })
  const questions = () => asked.filter((address) => address.endsWith('/accounts/projects')).length
  await vi.waitFor(() => expect(questions()).toBe(1))
  vi.useFakeTimers()
  try {
    const type = (value: string) => fireEvent.change(box, { target: { value } })
    type('n')
    await act(() => vi.advanceTimersByTimeAsync(299))
    type('ne')
    await act(() => vi.advanceTimersByTimeAsync(299))
    expect(questions()).toBe(1)
    await act(() => vi.advanceTimersByTimeAsync(1))
    expect(questions()).toBe(2)
    await act(() => vi.advanceTimersByTimeAsync(5000))
    expect(questions()).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
