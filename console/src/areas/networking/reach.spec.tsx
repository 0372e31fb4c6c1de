import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { instances } from '@mainstay/contract/compute/instances'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import { startChangeFlow } from '../../api/change-flow'
import { openPage, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

/* The panel that answers who can reach whom. */

const long = { timeout: 120_000 }
const as = 'project-member'
withPages()
// on a loaded machine reading them takes longer than a page should
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

const place = '/compute/networks/reach'
let network: Network
beforeAll(async () => {
  network = await server.call(networks.createPrivate, {
    ...{ as, body: { name: 'front', subnets: [{ cidr: '192.168.80.0/24' }] } },
  })
  const volumes = [{ source: 'blank' as const, size: 1024 ** 3, boot_index: 0 }]
  for (const name of ['web', 'backend'])
    await server.call(instances.create, {
      ...{ as, body: { name, flavor: 's1.nano', networks: [{ id: network.id }], volumes } },
    })
})

/** Types into one end, or opens it, and chooses what is offered. */
async function choose(label: 'From' | 'To', text: string, option: RegExp): Promise<void> {
  const box = await screen.findByRole<HTMLInputElement>('combobox', { name: label }, pageTimeout)
  box.focus()
  if (text === '') fireEvent.keyDown(box, { key: 'ArrowDown' })
  else fireEvent.change(box, { target: { value: text } })
  // what is offered for an earlier text cannot be chosen
  const isOffered = (it: HTMLElement) => it.getAttribute('aria-disabled') !== 'true'
  const offered = await vi.waitFor(
    () => screen.getAllByRole('option', { name: option }).find(isOffered) ?? raise(),
    pageTimeout,
  )
  fireEvent.click(offered)
  await vi.waitFor(() => expect(box.value).toMatch(option), pageTimeout)
}
const raise = (): never => {
  throw new Error('nothing is offered yet')
}
const verdict = (text: string) => screen.findByText(text, {}, pageTimeout)

it('says whether packets pass, and which rule or its absence decides', long, async () => {
  await openPage(place, as)
  await screen.findByText('Choose both ends to see whether packets pass, and what decides.', {}, pageTimeout)
  await choose('From', 'web', /web/)
  await choose('To', 'backend', /backend/)
  await verdict('web to backend: TCP 22')
  // members of the first group reach each other
  await verdict('Allowed')
  const way = within(await screen.findByRole('list', { name: 'What was looked at' }, pageTimeout))
  await way.findByText('Both are in one network', {}, pageTimeout)
  await way.findByText('A rule of the destination lets it in', {}, pageTimeout)

  const [group] = (await server.call(securityGroups.list, { as, query: { name: 'default' } })).data
  expect(way.getAllByRole('link', { name: 'default' })[0]!.getAttribute('href')).toContain(group!.id)
  for (const { id, direction } of group!.security_group_rules)
    if (direction === 'ingress') await server.call(securityGroupRules.delete, { as, params: { id } })
  // the event of the group asks anew
  const flow = startChangeFlow(() => true, null)
  const entity = await server.call(securityGroups.view, { as, params: { id: group!.id } })
  const { id, project_id } = entity
  flow.take([{ revision: 1, kind: 'security_group', id, op: 'put', project_id, domain_id: null, at: '', entity }])
  await verdict('Refused')
  await screen.findByText('No rule of the destination lets it in', {}, pageTimeout)
  flow.stop()
})

it('says from the internet what leads to a virtual machine, or that nothing does', long, async () => {
  await openPage(place, as)
  await choose('From', '', /The internet/)
  await choose('To', 'web', /web/)
  await verdict('The internet to web: TCP 22')
  await verdict('Refused')
  await screen.findByText('web has no address that the internet can reach.', {}, pageTimeout)
  const link = await screen.findByRole('link', { name: 'Assign a floating IP' }, pageTimeout)
  expect(link.getAttribute('href')).toBe('/compute/floating-ips')
})

it(
  'takes an address that is typed, keeps what was asked before, and offers machines of others to nobody',
  long,
  async () => {
    await openPage(place, as)
    await choose('From', 'web', /web/)
    await choose('To', '203.0.113.77', /203\.0\.113\.77/)
    await verdict('web to 203.0.113.77: TCP 22')
    await verdict('Refused')
    await choose('To', '192.168.80.200', /192\.168\.80\.200/)
    await screen.findByText('Nobody has this address', {}, pageTimeout)
    const before = within(await screen.findByRole('region', { name: 'Asked before' }, pageTimeout))
    await before.findByText('web to 203.0.113.77: TCP 22', {}, pageTimeout)

    await openPage(place, 'other-member')
    const box = await screen.findByRole<HTMLInputElement>('combobox', { name: 'From' }, pageTimeout)
    box.focus()
    fireEvent.change(box, { target: { value: 'web' } })
    await vi.waitFor(() => expect(screen.queryByRole('option', { name: /^web/ })).toBeNull(), pageTimeout)
  },
)
