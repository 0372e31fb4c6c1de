import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { loadTexts } from '../i18n/use-t'
import { setSession } from '../session/session'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { renderUi } from '../testing/render-ui'
import { ProjectChooser } from './ProjectChooser'

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
    const reply = address.endsWith('/accounts/projects') ? { data: projects } : { token: 'entered', permissions: {} }
    return Promise.resolve(Response.json(reply))
  })
})
afterEach(() => vi.unstubAllGlobals())

async function open(roles: string[]) {
  const user = { id: 'u', name: 'mo', roles, domain_id: 'd', external_provider: null } as never
  setSession({ status: 'signed-in', user, project: { id: 'p-one', name: 'one' }, projects: projects as never })
  renderUi(<ProjectChooser />)
  fireEvent.click(screen.getByRole('button', { name: 'Project: one' }))
  const list = await screen.findByRole('list')
  return within(list).getAllByRole<HTMLButtonElement>('button')
}
const texts = (buttons: HTMLButtonElement[]) => buttons.map(({ textContent }) => textContent)

it('labels a project that is disabled, which cannot be chosen, and neither can the present one [UI-069] [UI-070]', async () => {
  const options = await open(['project_member'])
  expect(texts(options)).toEqual(['onecurrent', 'Two (spare)', 'closeddisabled'])
  expect(options.map(({ disabled }) => disabled)).toEqual([true, false, true])
  fireEvent.click(options[2]!)
  expect(asked.filter((address) => address.includes('/auth'))).toEqual([])
})

it('leads a domain administrator, and nobody else, to the administration of the domain, over all of its projects [UI-068] [PE-007]', async () => {
  const options = await open(['domain_admin'])
  expect(texts(options)).toEqual(['Domain administration', 'onecurrent', 'Two (spare)', 'closeddisabled'])
  expect(options[0]!.disabled).toBe(false)
})

it('finds by part of a name, whatever its case, and literally [UI-067]', async () => {
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
