import { act, fireEvent, screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { alertKind, type Alert } from '@mainstay/contract/monitoring/alerts'
import { networks } from '@mainstay/contract/networking/networks'
import { beforeAll, expect, it, vi } from 'vitest'
import { fakeConsoles } from '../../../../../../server/src/testing/guest-consoles'
import { patchCache } from '../../../../api/patch-cache'
import { queryClient } from '../../../../api/query-client'
import { refresh } from '../../../../api/use-call'
import { withCanvas } from '../../../../testing/canvas'
import { openPage, page, press, server, withPages } from '../../../../testing/pages'
import { pageTimeout } from '../../../../testing/page-timeout'
import type { ConsoleEvents, OpenConsole } from '../console/use-console'

/*
 * Tests the full page for an instance against a real server. jsdom cannot render a graphical console, so the mocked
 * console disconnects immediately with a reason.
 */

const screenEnds = vi.hoisted(() => ({ reason: undefined as string | undefined, opened: 0 }))
vi.mock('../console/open-screen', () => ({
  openScreen(_target: HTMLElement, _address: string, events: ConsoleEvents): OpenConsole {
    screenEnds.opened += 1
    queueMicrotask(() => events.ended(screenEnds.reason ?? 'This is no browser'))
    return { focus() {}, blur() {}, close() {} }
  },
}))

withPages()
withCanvas()
beforeAll(() => fakeConsoles(server))

const long = { timeout: 180_000 }
const as = 'project-member'
const region = async (name: string) => within(await screen.findByRole('region', { name }, pageTimeout))
const settled = (id: string, status: string) =>
  vi.waitFor(async () => {
    const instance = await server.call(instances.view, { as, params: { id } })
    expect([instance.status, instance.task_state]).toEqual([status, null])
  }, pageTimeout)

async function running(name: string, count = 1): Promise<string[]> {
  const [network] = (await server.call(networks.list, { as })).data
  const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0 }]
  const body = { name, count, flavor: 's1.nano', networks: [{ id: network!.id }], volumes }
  const { created_ids } = await server.call(instances.create, { as, body })
  for (const id of created_ids) await settled(id, 'ACTIVE')
  return created_ids
}
const rename = (id: string, name: string) => server.call(instances.update, { as, params: { id }, body: { name } })
/**
 * Texts of the timeline entries, except those for an opened console: the page itself adds such an entry each time it
 * opens.
 */
const lines = (part: ReturnType<typeof within>): string[] =>
  part
    .getAllByRole('listitem')
    .map((it: HTMLElement) => it.textContent)
    .filter((text: string) => !text.startsWith('Open console'))

it(
  'shows name, addresses, volumes and networks, and links to the list and the details',
  { ...long, tags: 'all' },
  async () => {
    const [id] = (await running('shown')) as [string]
    await openPage(`/compute/instances/${id}/page`, as)
    expect(await screen.findByRole('heading', { level: 1, name: 'shown' }, pageTimeout)).toBeTruthy()
    const address = (await server.call(instances.view, { as, params: { id } })).networks[0]!.ips[0]!
    expect((await screen.findAllByText(address, {}, pageTimeout)).length).toBeGreaterThan(1)
    const link = (name: string) => screen.getByRole('link', { name }).getAttribute('href')
    expect(link('Manage volumes')).toBe(`/compute/instances/${id}/volumes`)
    expect(link('Manage networks')).toBe(`/compute/instances/${id}/network`)
    expect(within(screen.getByRole('main')).getByRole('link', { name: 'Virtual machines' })).toBeTruthy()
    const spoofing = async () => (await region('Protection')).getByText('Spoofing protection').nextElementSibling!
    expect((await spoofing()).textContent).toBe('On')
    // a cloud that allows spoofing protection to be disabled reports the interface like this
    const { network_data, project_id, domain_id } = await server.call(instances.view, { as, params: { id } })
    const network_name = network_data[0]!.network_name
    const entity = { id, network_data: network_data.map((card) => ({ ...card, spoofing_protection: false })) }
    const change = { kind: 'server', id, op: 'put' as const, project_id, domain_id, at: '', entity }
    act(() => void patchCache(queryClient, [{ ...change, revision: Number.MAX_SAFE_INTEGER }]))
    await vi.waitFor(async () => expect((await spoofing()).textContent).toBe(`Off for ${network_name}`), pageTimeout)
  },
)

it(
  'lists calls, tasks and alerts in chronological order in the timeline, and loads earlier ones',
  { ...long, tags: 'all' },
  async () => {
    const [, id] = (await running('told', 2)) as [string, string]
    await rename(id, 'told-again')
    const { project, domain } = server.cast.people[as]
    const now = new Date().toISOString()
    const alert: Alert = {
      ...{ id: 'busy', type: 'vm_high_cpu', group: 'compute', severity: 'warning', state: 'closed' },
      ...{ enabled: true, suspended: false, suspended_until: null, object_part: null, object_name: 'told' },
      ...{ object_kind: 'server', object_id: id, value: 97, threshold: 90, unit: 'percent' },
      ...{ message: '', advice: '', details: null, project_id: project!.id, domain_id: domain.id },
      ...{ datetime: now, closed_at: now, created_at: now, updated_at: now },
    }
    await server.tools.inventory.transaction((records) => records.put(alertKind.name, alert))

    await openPage(`/compute/instances/${id}/page`, as)
    const timeline = await region('Timeline')
    await vi.waitFor(() => expect(lines(timeline)).toHaveLength(3), pageTimeout)
    const [ofAlert, ofCall, ofTask] = lines(timeline)
    expect(ofAlert).toMatch(/CPU.*Alert closed on/)
    expect(ofCall).toMatch(/^EditDone.*Namebefore told-2 now told-againproject_member$/)
    expect(ofTask).toMatch(/^CreateDone.*project_member/)

    for (let at = 0; at < 50; at++) await rename(id, `told-${at}-times`)
    await refresh([instances.timeline])
    await vi.waitFor(() => expect(lines(timeline)[0]).toContain('told-49-times'), pageTimeout)
    expect(lines(timeline).length).toBeLessThanOrEqual(50)
    await press('Show earlier events')
    await vi.waitFor(() => expect(lines(timeline)).toHaveLength(53), pageTimeout)
    expect(timeline.queryByRole('button', { name: 'Show earlier events' })).toBeNull()
    expect(lines(timeline).at(-1)).toBe(ofTask)

    // the source address is shown only to users who may read the audit log
    expect(timeline.queryByText(/127\.0\.0\.1/)).toBeNull()
    await openPage(`/compute/instances/${id}/page`, 'superuser')
    const theirs = await region('Timeline')
    await vi.waitFor(() => expect(lines(theirs)[0]).toMatch(/project_member · from 127\.0\.0\.1/), pageTimeout)
  },
)

it('shows the error in place of the console, and offers to reconnect', long, async () => {
  const [id] = (await running('dark')) as [string]
  screenEnds.reason = 'The screen is in use by somebody else'
  await openPage(`/compute/instances/${id}/page`, as)
  const place = await region('Console')
  const alert = await place.findByRole('alert', {}, pageTimeout)
  expect(alert.textContent).toContain('The screen is in use by somebody else')
  expect(screen.getAllByRole('alert')).toHaveLength(1)
  await vi.waitFor(async () => expect(lines(await region('Timeline'))).toHaveLength(1), pageTimeout)
  // the button must not steal the focus
  expect(alert.contains(document.activeElement)).toBe(false)
  const before = screenEnds.opened
  fireEvent.click(place.getByRole('button', { name: 'Reconnect' }))
  await vi.waitFor(() => expect(screenEnds.opened).toBe(before + 1), pageTimeout)
})

it('still shows the page after the instance is deleted, but without actions', { ...long, tags: 'all' }, async () => {
  const [id] = (await running('passing')) as [string]
  await openPage(`/compute/instances/${id}/page`, as)
  await vi.waitFor(async () => expect(lines(await region('Timeline'))).toHaveLength(1), pageTimeout)
  expect(screen.getByRole('button', { name: 'Open console' })).toBeTruthy()
  await server.call(instances.delete, { as, params: { id }, query: {} })
  await vi.waitFor(async () => {
    const { status } = await server.fetch(instances.view, { as, params: { id } })
    expect(status).toBe(404)
  }, pageTimeout)
  await refresh([instances.view])
  expect(await screen.findByText(/This virtual machine was deleted/, {}, pageTimeout)).toBeTruthy()
  const main = within(screen.getByRole('main'))
  expect(main.getByRole('heading', { level: 1, name: 'passing' })).toBeTruthy()
  expect(main.getAllByText('Deleted')).toHaveLength(2)
  expect(lines(await region('Timeline')).at(-1)).toMatch(/^Created from .*Done/)
  expect(main.queryByRole('region', { name: 'Console' })).toBeNull()
  for (const name of [/Open console/, /Shut down/, /Actions/]) expect(main.queryByRole('button', { name })).toBeNull()
  expect(main.queryByRole('link', { name: /^Manage/ })).toBeNull()
  expect(page!.address()).toBe(`/compute/instances/${id}/page`)
})

it('explains that a simulated instance has no console, and does not open one', long, async () => {
  const { compute } = server.tools.capabilities
  const lent = compute.console_protocols
  compute.console_protocols = []
  try {
    const [id] = (await running('simulated')) as [string]
    const { opened } = screenEnds
    await openPage(`/compute/instances/${id}/page`, as)
    const part = await region('Console')
    expect(await part.findByRole('heading', { name: 'No console' }, pageTimeout)).toBeTruthy()
    expect(part.getByText('This virtual machine is simulated. It has no console and no terminal.')).toBeTruthy()
    expect(screenEnds.opened).toBe(opened)
    const { data } = await server.call(instances.events, { as, params: { id } })
    expect(data.map(({ action }) => action)).toEqual(['create'])
  } finally {
    compute.console_protocols = lent
  }
})

it(
  'combines repeated openings of the console within a day into one entry with a count',
  { ...long, tags: 'all' },
  async () => {
    const [id] = (await running('watched')) as [string]
    for (let at = 0; at < 3; at++) await server.call(instances.console, { as, params: { id } })
    await rename(id, 'watched-by-many')
    await server.call(instances.console, { as, params: { id } })
    await openPage(`/compute/instances/${id}/events`, as)
    const drawer = within(await screen.findByRole('dialog', { name: 'watched-by-many' }, pageTimeout))
    await drawer.findByText('Open console (× 3)', {}, pageTimeout)
    const titles = drawer.getAllByRole('listitem').map((it) => it.querySelector('span')!.textContent)
    expect(titles).toEqual(['Open console', 'Edit', 'Open console (× 3)', expect.stringMatching(/^Created from/)])
  },
)

it('describes creation and changes in plain words, without JSON or unset fields', long, async () => {
  const [id] = (await running('worded')) as [string]
  const network = (await server.call(instances.view, { as, params: { id } })).networks[0]!.name
  const change = { description: 'Front door', ha_enabled: false }
  await server.call(instances.update, { as, params: { id }, body: change })
  await server.call(instances.setMetadata, { as, params: { id }, body: { metadata: { tier: 'web' } } })
  await server.call(instances.stop, { as, params: { id }, body: { hard: true } })
  await settled(id, 'SHUTOFF')
  await openPage(`/compute/instances/${id}/page`, as)
  const timeline = await region('Timeline')
  await vi.waitFor(() => expect(lines(timeline)).toHaveLength(4), pageTimeout)
  const [powerOff, metadata, edit, creation] = lines(timeline)
  expect(creation).toMatch(
    new RegExp(
      `^Created from an empty volume, s1\\.nano, and 1\\sGiB, on ${network}Done[\\d:]+\\s?[AP]?M?project_member`,
    ),
  )
  expect(edit).toMatch(/Descriptionnow Front doorHigh availabilitybefore On now Off/)
  expect(metadata).toMatch(/Metadata.*now tier: web/)
  expect(powerOff).toMatch(/^Power offDone/)
  for (const line of lines(timeline)) expect(line).not.toMatch(/[[{"]|true|false|user_data|secret/)
})
