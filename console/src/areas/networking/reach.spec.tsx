import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { instances } from '@mainstay/contract/compute/instances'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { securityGroups } from '@mainstay/contract/networking/security-groups'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import { startChangeFlow } from '../../api/change-flow'
import { openPage, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

/* Tests the panel that checks whether a source can reach a destination. */

const long = { timeout: 120_000 }
const as = 'project-member'
withPages()
// load the chunks first: on a busy machine, importing them can exceed the page timeout
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

/** Types text into a field, or opens the field if the text is empty, and chooses an option. */
async function choose(label: 'From' | 'To', text: string, option: RegExp): Promise<void> {
  const box = await screen.findByRole<HTMLInputElement>('combobox', { name: label }, pageTimeout)
  box.focus()
  if (text === '') fireEvent.keyDown(box, { key: 'ArrowDown' })
  else fireEvent.change(box, { target: { value: text } })
  // options from a previous search are disabled
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

it('shows whether traffic can pass, and which existing or missing rule decides', { ...long, tags: 'all' }, async () => {
  await openPage(place, as)
  await screen.findByText('Choose a source and a destination to see whether traffic can pass and why.', {}, pageTimeout)
  await choose('From', 'web', /web/)
  await choose('To', 'backend', /backend/)
  await verdict('web to backend: TCP 22')
  // the default group allows traffic between its own members
  await verdict('Allowed')
  const way = within(await screen.findByRole('list', { name: 'Traffic path' }, pageTimeout))
  await way.findByText('Both ends are on the same network', {}, pageTimeout)
  await way.findByText('An inbound rule in the destination’s security groups allows the traffic', {}, pageTimeout)

  const [group] = (await server.call(securityGroups.list, { as, query: { name: 'default' } })).data
  expect(way.getAllByRole('link', { name: 'default' })[0]!.getAttribute('href')).toContain(group!.id)
  for (const { id, direction } of group!.security_group_rules)
    if (direction === 'ingress') await server.call(securityGroupRules.delete, { as, params: { id } })
  // an event for the security group triggers a new check
  const flow = startChangeFlow(() => true, null)
  const entity = await server.call(securityGroups.view, { as, params: { id: group!.id } })
  const { id, project_id } = entity
  flow.take([{ revision: 1, kind: 'security_group', id, op: 'put', project_id, domain_id: null, at: '', entity }])
  await verdict('Blocked')
  await screen.findByText('No inbound rule in the destination’s security groups allows the traffic', {}, pageTimeout)
  flow.stop()
})

it(
  'says that a virtual machine without a floating IP is not reachable from the internet',
  { ...long, tags: 'all' },
  async () => {
    await openPage(place, as)
    await choose('From', '', /The internet/)
    await choose('To', 'web', /web/)
    await verdict('The internet to web: TCP 22')
    await verdict('Blocked')
    await screen.findByText('web has no address that is reachable from the internet', {}, pageTimeout)
    const link = await screen.findByRole('link', { name: 'Assign a floating IP' }, pageTimeout)
    expect(link.getAttribute('href')).toBe('/compute/floating-ips')
  },
)

it(
  'accepts a typed address, keeps previous checks, and does not offer instances in other projects',
  { ...long, tags: 'all' },
  async () => {
    await openPage(place, as)
    await choose('From', 'web', /web/)
    await choose('To', '203.0.113.77', /203\.0\.113\.77/)
    await verdict('web to 203.0.113.77: TCP 22')
    await verdict('Blocked')
    await choose('To', '192.168.80.200', /192\.168\.80\.200/)
    await screen.findByText('This address is not in use', {}, pageTimeout)
    const before = within(await screen.findByRole('region', { name: 'Previous checks' }, pageTimeout))
    await before.findByText('web to 203.0.113.77: TCP 22', {}, pageTimeout)

    await openPage(place, 'other-member')
    const box = await screen.findByRole<HTMLInputElement>('combobox', { name: 'From' }, pageTimeout)
    box.focus()
    fireEvent.change(box, { target: { value: 'web' } })
    await vi.waitFor(() => expect(screen.queryByRole('option', { name: /^web/ })).toBeNull(), pageTimeout)
  },
)
