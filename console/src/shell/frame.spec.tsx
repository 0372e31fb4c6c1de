import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { startServer } from '../../../server/src/testing/start-server'
import { adminRoutes as routes } from '../admin-routes'
import { sessionNow } from '../session/session'
import { expectAddress, dialog, openPage, page, server, withPages } from '../testing/pages'
import { menuLinks } from '../testing/menu'
import { pageTimeout } from '../testing/page-timeout'
import { renderPage } from '../testing/render-page'
import { pressAndLoad } from '../testing/press-and-load'

const long = { timeout: 180_000 }
withPages()
afterEach(() => vi.unstubAllGlobals())

const known = () => vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)

it(
  'the header shows the logo, the project chooser, the notifications and the account menu [UI-066]',
  long,
  async () => {
    await openPage('/tasks', 'project-member')
    const [banner] = await screen.findAllByRole('banner', {}, pageTimeout)
    const header = within(banner!)
    const bell = await header.findByRole('button', { name: /^Notifications/ }, pageTimeout)
    const shown = [
      header.getByRole('link', { name: 'Mainstay: home' }),
      header.getByRole('button', { name: /^Project: / }),
      bell,
      header.getByRole('button', { name: 'Account menu: project_member' }),
    ]
    // the order of the elements in the header matters
    const all = [...banner!.querySelectorAll('a, button')]
    expect(shown.map((it) => all.indexOf(it))).toEqual(shown.map((it) => all.indexOf(it)).toSorted((a, b) => a - b))
    await pressAndLoad(bell)
    expect(await screen.findByRole('dialog', { name: 'Notifications' }, pageTimeout)).toBeTruthy()
  },
)

it.each([
  ['superuser', '/domains', 'admin'],
  ['domain-admin', '/users', 'domain_admin'],
  ['project-member', '/tasks', 'project_member'],
] as const)('the account menu of %s has an entry to report a problem [UI-072]', long, async (who, place, name) => {
  await openPage(place, who)
  await known()
  await pressAndLoad(await screen.findByRole('button', { name: `Account menu: ${name}` }, pageTimeout))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Report a problem' }, pageTimeout))
  expect(await screen.findByRole('dialog', { name: 'Report a problem' }, pageTimeout)).toBeTruthy()
})

it('below 768 px the menu closes when an entry is chosen, including the current page', long, async () => {
  const wide = matchMedia
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(wide(query), { matches: query === '(max-width: 767px)' }),
  )
  await openPage('/tasks', 'project-member')
  await known()
  for (const place of ['/tasks', '/compute/volumes']) {
    const button = await screen.findByRole('button', { name: 'Menu' }, pageTimeout)
    fireEvent.click(button)
    const menu = await dialog('Menu')
    // the current group is expanded; a group with a single page is a link
    const entry = menu.getAllByRole('link').find((link) => link.getAttribute('href') === place)
    fireEvent.click(entry!)
    await vi.waitFor(() => expect(screen.queryByRole('dialog', { name: 'Menu' })).toBeNull(), pageTimeout)
    await expectAddress(place)
  }
})

describe('/', () => {
  it('sends a domain administrator without a project to the users page [RT-001] [UI-063]', long, async () => {
    await openPage('/', 'domain-admin')
    await expectAddress('/users')
    await known()
    expect(await menuLinks()).toEqual(expect.arrayContaining(['/users', '/projects']))
    // in a project the menu contains neither of the two
    await openPage('/', 'project-member')
    await expectAddress('/monitoring')
    await known()
    expect((await menuLinks()).filter((to) => to === '/users' || to === '/projects')).toEqual([])
  })

  it('sends users who are not signed in to the sign-in page', long, async () => {
    page?.close()
    const stranger = await renderPage('/', { server })
    await vi.waitFor(() => expect(stranger.address()).toMatch(/^\/login/), pageTimeout)
    stranger.close()
  })

  it('shows the no-service page if neither compute nor object storage is available [RT-004]', long, async () => {
    const empty = await startServer({
      environment: { MAINSTAY_AREAS: 'compute=none,storage=none,networking=none', MAINSTAY_S3_PORT: 'none' },
    })
    const shown = await renderPage('/', { server: empty, as: 'project-member' })
    try {
      await vi.waitFor(() => expect(shown.address()).toBe('/no-service'), pageTimeout)
      expect(await screen.findByRole('heading', { name: 'No services available' }, pageTimeout)).toBeTruthy()
    } finally {
      shown.close()
      await empty.close()
    }
  })
})

describe('object storage', () => {
  // opens several pages and starts a separate server
  const longer = { timeout: 180_000 }
  const noCompute = 'compute=none,storage=none,networking=none'

  it('is the start page if compute is not configured and S3 is available [RT-003]', longer, async () => {
    const alone = await startServer({ environment: { MAINSTAY_AREAS: noCompute } })
    const open = () => renderPage('/', { server: alone, as: 'project-member' })
    await alone.call(s3Service.delete, { as: 'superuser' })
    let shown = await open()
    try {
      // object storage is not available until an operator creates the service
      await vi.waitFor(() => expect(shown.address()).toBe('/no-service'), pageTimeout)
      shown.close()
      await alone.call(s3Service.create, { as: 'superuser' })
      shown = await open()
      await vi.waitFor(() => expect(shown.address()).toBe('/s3-storage/buckets'), pageTimeout)
      expect(await screen.findByRole('heading', { level: 1, name: 'Buckets' }, pageTimeout)).toBeTruthy()
    } finally {
      shown.close()
      await alone.close()
    }
    // with compute, / opens the overview even though object storage is also available
    await openPage('/', 'project-member')
    await expectAddress('/monitoring')
    expect(sessionNow().meta?.services.s3.available).toBe(true)
  })

  it('appears in the menu outside domain mode only while S3 is available [UI-065]', longer, async () => {
    const entriesOf = async (who: 'project-member' | 'domain-admin', path: string, isAvailable: boolean) => {
      await openPage(path, who)
      await known()
      // the session may still hold the value from the previous page
      if (who === 'project-member')
        await vi.waitFor(() => expect(sessionNow().meta?.services.s3.available).toBe(isAvailable), pageTimeout)
      await screen.findByRole('heading', { level: 1 }, pageTimeout)
      return menuLinks()
    }
    expect(await entriesOf('project-member', '/tasks', true)).toContain('/s3-storage/buckets')
    expect(await entriesOf('domain-admin', '/users', true)).not.toContain('/s3-storage/buckets')
    await server.call(s3Service.delete, { as: 'superuser' })
    try {
      expect(await entriesOf('project-member', '/tasks', false)).not.toContain('/s3-storage/buckets')
    } finally {
      await server.call(s3Service.create, { as: 'superuser' })
    }
  })
})

describe('/compute', () => {
  afterEach(() => page?.close())

  it('contains the compute pages, and /compute redirects to the first of them [RT-011]', long, async () => {
    const below = routes.flatMap(({ path, menu }) => (menu && path.startsWith('compute/') ? [`/${path}`] : []))
    expect(below).toEqual(expect.arrayContaining(['/compute/instances', '/compute/volumes', '/compute/ssh-keys']))
    await openPage('/compute', 'project-member')
    await expectAddress('/compute/instances')
    await known()
    const shown = await menuLinks()
    for (const to of shown.filter((it) => it?.startsWith('/compute/'))) expect(below).toContain(to)
    await openPage('/compute/ssh-keys', 'project-member')
    expect(await screen.findByRole('heading', { level: 1, name: 'SSH keys' }, pageTimeout)).toBeTruthy()
  })
})
