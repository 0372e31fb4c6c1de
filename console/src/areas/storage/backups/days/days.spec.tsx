import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { dayAfter, dayAt } from '@mainstay/contract/storage/local-days'
import { backupPlans } from '@mainstay/contract/protection/backup-plans'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { volumes } from '@mainstay/contract/storage/volumes'
import { writeRecoveryPoint } from '../../../../../../server/src/testing/storage/recovery-point'
import { localZone } from '../../../../lib/zones'
import { openPage, server, withPages } from '../../../../testing/pages'
import { pageTimeout } from '../../../../testing/page-timeout'
import { dayName, monthName, monthOf } from './month'

const long = { timeout: 120_000 }
const as = 'project-member'
const place = '/compute/recovery-points'
withPages()
// preloads lazy modules before the tests start
beforeAll(async () => {
  await Promise.all([import('../BackupListPage'), import('./CalendarView'), import('./MachinesView')])
}, 180_000)

const point = (taken_at: string, part: Partial<VolumeBackup> = {}) => writeRecoveryPoint(server, { taken_at, ...part })
const cell = (day: string) => screen.findByRole('gridcell', { name: new RegExp(`^${dayName(day, 'en')}`) }, pageTimeout)

it('shows in a calendar what was created on each day', long, async () => {
  const nightly = { backup_plan_id: crypto.randomUUID(), backup_plan_name: 'nightly' }
  await point('2026-05-20T12:00:00Z', nightly)
  await point('2026-05-20T12:05:00Z', { ...nightly, status: 'error', stored_size: null })
  await point('2026-05-20T13:00:00Z', { damaged_by: 'itself' })
  await point('2026-05-21T12:00:00Z')

  const page = await openPage(`${place}?show=calendar&month=2026-05&day=2026-05-21`, as)
  const asked = (name: string) => new URL(page.address(), 'http://console').searchParams.get(name)
  await waitFor(async () => expect((await cell('2026-05-20')).textContent).toMatch(/1 damaged.*1 failed/), pageTimeout)
  expect((await cell('2026-05-20')).textContent).toMatch(/2\sGiB/)
  expect((await cell('2026-05-21')).getAttribute('aria-selected')).toBe('true')
  // the week begins as the language says, and its other days belong to the neighboring months
  const grid = screen.getByRole('grid')
  expect(
    within(grid)
      .getAllByRole('columnheader')
      .map(({ ariaLabel }) => ariaLabel)[0],
  ).toBe('Sunday')
  expect(within(grid).getAllByRole('gridcell')[0]!.dataset['cell']).toBe('2026-04-26')

  // a single tab stop, from which arrow keys lead on
  const stops = () =>
    within(grid)
      .getAllByRole('gridcell')
      .filter(({ tabIndex }) => tabIndex === 0)
  expect(stops()).toEqual([await cell('2026-05-21')])
  fireEvent.focus(await cell('2026-05-21'))
  fireEvent.keyDown(await cell('2026-05-21'), { key: 'ArrowLeft' })
  expect(document.activeElement).toBe(await cell('2026-05-20'))
  expect(stops()).toEqual([await cell('2026-05-20')])
  fireEvent.click(await cell('2026-05-20'))
  await waitFor(() => expect(asked('day')).toBe('2026-05-20'), pageTimeout)
  const day = within(await screen.findByRole('region', { name: dayName('2026-05-20', 'en') }, pageTimeout))
  const lines = await day.findAllByRole('listitem', {}, pageTimeout)
  expect(lines.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/nightly.*1 failed/),
    expect.stringMatching(/Manual.*1 damaged/),
  ])

  // beyond the month, the calendar follows
  fireEvent.keyDown(await cell('2026-05-20'), { key: 'PageDown' })
  await waitFor(() => expect(asked('month')).toBe('2026-06'), pageTimeout)
  await screen.findByRole('heading', { name: monthName('2026-06', 'en') }, pageTimeout)
  await waitFor(async () => expect(document.activeElement).toBe(await cell('2026-06-20')), pageTimeout)

  fireEvent.click(await screen.findByRole('radio', { name: 'Machines by day' }, pageTimeout))
  await waitFor(() => expect(asked('show')).toBe('machines'), pageTimeout)
  await screen.findByText('No virtual machines with volumes yet.', {}, pageTimeout)
  fireEvent.click(await screen.findByRole('radio', { name: 'List' }, pageTimeout))
  await waitFor(() => expect(asked('show')).toBeNull(), pageTimeout)
})

it('keeps the focus on the switch of views while keys change the view', long, async () => {
  const page = await openPage(place, as)
  const first = await screen.findByRole('radio', { name: 'List' }, pageTimeout)
  act(() => first.focus())
  const views = [
    ['ArrowRight', 'Calendar', `${place}?show=calendar`],
    ['ArrowRight', 'Machines by day', `${place}?show=machines`],
    ['ArrowLeft', 'Calendar', `${place}?show=calendar`],
    ['ArrowLeft', 'List', place],
  ] as const
  for (const [key, name, address] of views) {
    fireEvent.keyDown(document.activeElement!, { key })
    const focused = document.activeElement!
    expect(focused.textContent).toBe(name)
    await act(async () => {
      fireEvent.keyDown(focused, { key: ' ' })
      fireEvent.keyUp(focused, { key: ' ' })
    })
    await waitFor(() => expect(page.address()).toBe(address), pageTimeout)
    await waitFor(() => expect(focused.getAttribute('aria-checked')).toBe('true'), pageTimeout)
    expect(document.activeElement).toBe(focused)
  }
})

it(
  'applies the filters of the list to each view, and keeps them in the address',
  { ...long, tags: 'all' },
  async () => {
    await point('2026-03-10T12:00:00Z', {
      backup_plan_id: 'a-plan',
      backup_plan_name: 'night-plan',
      volume_name: 'wanted',
    })
    await point('2026-03-10T13:00:00Z', { volume_name: 'wanted' })
    await point('2026-03-11T13:00:00Z', { volume_name: 'unwanted' })

    const page = await openPage(`${place}?show=calendar&month=2026-03&day=2026-03-10&volume_name=exact:wanted`, as)
    const asked = (name: string) => new URL(page.address(), 'http://console').searchParams.get(name)
    const text = async (day: string) => (await cell(day)).textContent
    await waitFor(async () => expect(await text('2026-03-10')).toContain('2 recovery points'), pageTimeout)
    expect(await text('2026-03-11')).not.toContain('recovery point')
    const day = await screen.findByRole('region', { name: dayName('2026-03-10', 'en') }, pageTimeout)
    await waitFor(() => expect(within(day).getAllByRole('listitem')).toHaveLength(2), pageTimeout)
    expect(screen.getByText(/Days to come do not show which backup plans run/)).toBeTruthy()

    // a filter that is typed here joins the others, and a chosen day keeps them
    const search = screen.getByRole('combobox', { name: 'Search this list' })
    await act(async () => fireEvent.change(search, { target: { value: 'backup_plan_name:night-plan ' } }))
    await waitFor(() => expect(asked('backup_plan_name')).toBe('exact:night-plan'), pageTimeout)
    fireEvent.click(await cell('2026-03-11'))
    await waitFor(() => expect(asked('day')).toBe('2026-03-11'), pageTimeout)
    expect([asked('volume_name'), asked('backup_plan_name')]).toEqual(['exact:wanted', 'exact:night-plan'])
    await waitFor(async () => expect(await text('2026-03-10')).toContain('1 recovery point'), pageTimeout)

    fireEvent.click(await screen.findByRole('radio', { name: 'Machines by day' }, pageTimeout))
    expect(await screen.findByText(/^No virtual machine matches/, {}, pageTimeout)).toBeTruthy()
    expect([asked('day'), asked('volume_name')]).toEqual([null, 'exact:wanted'])
    fireEvent.click(await screen.findByRole('radio', { name: 'List' }, pageTimeout))
    await waitFor(() => expect(asked('show')).toBeNull(), pageTimeout)
    expect([asked('volume_name'), asked('backup_plan_name')]).toEqual(['exact:wanted', 'exact:night-plan'])
    await waitFor(() => expect(document.querySelectorAll('[data-row]')).toHaveLength(1), pageTimeout)
  },
)

it('shows which plans run on the days to come', { ...long, tags: 'all' }, async () => {
  const { id: volume } = await server.call(volumes.create, { as, body: { name: 'planned', size: GiB } })
  const body = { name: 'every-night', schedule: { hour: '2' } }
  const { id } = await server.call(backupPlans.create, { as, body })
  await server.call(backupPlans.addVolumes, { as, params: { id }, body: { ids: [volume] } })
  const ahead = dayAfter(dayAt(Date.now(), localZone()), 3)
  await openPage(`${place}?show=calendar&month=${monthOf(ahead)}&day=${ahead}`, as)
  await waitFor(async () => expect((await cell(ahead)).textContent).toContain('1 plan'), pageTimeout)
  const day = within(await screen.findByRole('region', { name: dayName(ahead, 'en') }, pageTimeout))
  expect((await day.findByRole('listitem', {}, pageTimeout)).textContent).toMatch(/every-night.*1 volume/)

  // filters for backup plans apply to them as well
  const filtered = `${place}?show=calendar&month=${monthOf(ahead)}&day=${ahead}&backup_plan_name=`
  await openPage(`${filtered}exact:every-night`, as)
  await waitFor(async () => expect((await cell(ahead)).textContent).toContain('1 plan'), pageTimeout)
  await openPage(`${filtered}exact:another`, as)
  expect(await screen.findByText('No backup plan runs on this day.', {}, pageTimeout)).toBeTruthy()
  expect((await cell(ahead)).textContent).not.toContain('1 plan')
  await server.call(backupPlans.delete, { as, params: { id } })
})

it('shows on which days virtual machines were captured completely', long, async () => {
  const disks = [
    { source: 'blank' as const, size: GiB, boot_index: 0 },
    { source: 'blank' as const, size: GiB },
  ]
  const body = { name: 'shop', flavor: 's1.nano', networks: [], volumes: disks }
  const { id } = await server.call(instances.create, { as, body })
  const view = () => server.call(instances.view, { as, params: { id } })
  await vi.waitFor(async () => expect((await view()).status).toBe('ACTIVE'), pageTimeout)
  const today = dayAt(Date.now(), localZone())
  const now = new Date().toISOString()
  const [first, second] = (await view()).volumes
  const at = (taken_at: string, volume_id: string, instant_id: string, part: Partial<VolumeBackup> = {}) =>
    point(taken_at, { server_id: id, server_name: 'shop', volume_id, instant_id, ...part })
  await at(now, first!.id, 'together')
  await at(now, second!.id, 'together')
  const yesterday = new Date(Date.now() - 24 * 3600_000).toISOString()
  const damaged = await at(yesterday, first!.id, 'before', { damaged_by: 'itself' })

  const { address } = await openPage(`${place}?show=machines`, as)
  const row = within(await screen.findByRole('row', { name: /shop/ }, pageTimeout))
  const cells = row.getAllByRole('gridcell')
  // 30 days, and the last complete point
  expect(cells).toHaveLength(31)
  expect(cells[29]!.ariaLabel).toBe(`${dayName(today, 'en')}: All volumes at the same moment`)
  expect(cells[28]!.ariaLabel).toMatch(/Damaged$/)
  expect(cells[27]!.ariaLabel).toMatch(/No recovery points$/)
  expect(row.getByRole('link', { name: 'shop' }).getAttribute('href')).toContain(`/compute/instances/${id}/protection`)

  // a single tab stop; the line below says what the cell means
  fireEvent.focus(cells[29]!)
  fireEvent.keyDown(cells[29]!, { key: 'ArrowLeft' })
  expect(document.activeElement).toBe(cells[28])
  const line = screen.getAllByRole('status').find(({ textContent }) => textContent?.includes('shop'))!
  expect(line.textContent).toMatch(/Damaged.*1 recovery point and 1 damaged/)
  fireEvent.keyDown(cells[28]!, { key: 'Home' })
  expect(document.activeElement).toBe(row.getByRole('link', { name: 'shop' }))
  fireEvent.focus(cells[28]!)
  fireEvent.keyDown(cells[28]!, { key: 'Enter' })
  await waitFor(() => expect(address()).toContain(`/recovery-points/${damaged.id}`), pageTimeout)
})
