import { screen } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { GiB } from '@mainstay/contract/core/bytes'
import { networks } from '@mainstay/contract/networking/networks'
import { volumes } from '@mainstay/contract/storage/volumes'
import type { PersonaName } from '../../server/src/testing/personas'
import { adminRoutes as routes } from './admin-routes'
import { sessionNow } from './session/session'
import { menuLinks } from './testing/menu'
import { pressAndLoad } from './testing/press-and-load'
import { expectAddress, openPage, page, server, withPages } from './testing/pages'
import { pageTimeout } from './testing/page-timeout'

/* Tests the console for operators, and the self-service portal for projects and domains. */

const long = { timeout: 300_000 }
withPages()

/** List pages in both panels, with their headings and the labels of their create buttons. */
const families = {
  '/compute/instances': ['Virtual machines', 'Create virtual machine'],
  '/compute/volumes': ['Volumes', 'Create volume'],
  '/compute/networks': ['Networks', 'Create virtual network'],
  '/compute/routers': ['Routers', 'Create router'],
  '/compute/floating-ips': ['Floating IPs', 'Allocate floating IP'],
  '/compute/security-groups': ['Security groups', 'Create security group'],
  '/compute/load-balancers': ['Load balancers', 'Create load balancer'],
} as const
const known = () => vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
// each page is a separate chunk
beforeAll(() => Promise.all(routes.filter(({ path }) => `/${path}` in families).map(({ load }) => load())), 120_000)
const make = (as: 'project-member' | 'other-member', name: string) =>
  server.call(volumes.create, { as, body: { name, size: GiB } })
const volumesShown = async (who: PersonaName) => {
  await openPage('/compute/volumes', who)
  await screen.findByRole('row', { name: 'of-a-member' }, pageTimeout)
  return screen.getAllByRole('row').flatMap((row) => row.getAttribute('aria-label') ?? [])
}

it(
  'operators manage all tenants’ storage, compute and networks; projects and domains have a portal [UI-001]',
  long,
  async () => {
    await make('project-member', 'of-a-member')
    await make('other-member', 'of-another-project')
    await server.call(networks.createPrivate, { as: 'other-member', body: { name: 'network-of-another', subnets: [] } })
    // operators see and manage the resources in all tenants
    expect(await volumesShown('superuser')).toEqual(expect.arrayContaining(['of-a-member', 'of-another-project']))
    const offered = await menuLinks()
    expect(offered).toEqual(expect.arrayContaining([...Object.keys(families), '/engines', '/domains', '/s3-service']))
    await pressAndLoad(screen.getByRole('button', { name: 'Actions for of-another-project' }))
    expect(await screen.findByRole('menuitem', { name: 'Extend volume' }, pageTimeout)).toBeTruthy()
    await page!.router.navigate({ to: '/compute/networks' })
    await pressAndLoad(await screen.findByRole('button', { name: 'Actions for network-of-another' }, pageTimeout))
    expect(await screen.findByRole('menuitem', { name: 'Edit network' }, pageTimeout)).toBeTruthy()
    await page!.router.navigate({ to: '/compute/instances' })
    expect(
      (await screen.findAllByRole('link', { name: 'Create virtual machine' }, pageTimeout)).length,
    ).toBeGreaterThan(0)
    // members see the resources in their project and no installation settings
    expect(await volumesShown('project-member')).not.toContain('of-another-project')
    const ofMember = await menuLinks()
    expect(ofMember).toEqual(expect.arrayContaining(Object.keys(families)))
    for (const place of ['/engines', '/domains', '/s3-service', '/users']) expect(ofMember).not.toContain(place)
    // a domain administrator manages the users in the domain
    await openPage('/users', 'domain-admin')
    await known()
    expect(await screen.findByRole('heading', { level: 1, name: 'Users' }, pageTimeout)).toBeTruthy()
    expect(await menuLinks()).not.toContain('/engines')
  },
)

it(
  'members and domain administrators have the same resource types and create buttons in a project [UI-002]',
  long,
  async () => {
    for (const who of ['project-member', 'domain-admin@alpha-one'] as const) {
      expect(await volumesShown(who)).not.toContain('of-another-project')
      for (const [place, [title, add]] of Object.entries(families)) {
        await page!.router.navigate({ to: place })
        expect(await screen.findByRole('heading', { level: 1, name: title }, pageTimeout), place).toBeTruthy()
        expect(
          (await screen.findAllByRole('link', { name: add }, pageTimeout)).length,
          `${place} ${add}`,
        ).toBeGreaterThan(0)
      }
      await page!.router.navigate({ to: '/s3-storage' })
      await expectAddress('/s3-storage/buckets')
      expect((await screen.findAllByRole('link', { name: 'Create bucket' }, pageTimeout)).length).toBeGreaterThan(0)
      const offered = await menuLinks()
      expect(offered).toEqual(expect.arrayContaining([...Object.keys(families), '/s3-storage/buckets']))
    }
  },
)
