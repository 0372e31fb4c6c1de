import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { backupPlans, type BackupPlanDraft } from '@mainstay/contract/protection/backup-plans'
import { EVERY } from '@mainstay/contract/protection/schedules'
import type * as z from 'zod'
import { enter, expectAddress, field, openPage, press, server, told, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 180_000 }
const as = 'project-member'
const list = '/compute/backup-plans'
withPages()
// preloads lazy modules before the tests start
beforeAll(() => Promise.all([import('./PlanAddPage'), import('./PlanEditPage'), import('../page/PlanPage')]), 180_000)

/** Creates a disabled plan, which does not run during the test. */
const plan = async (name: string, given: Partial<z.input<typeof BackupPlanDraft>> = {}): Promise<string> => {
  const body = { name, schedule: { hour: '2' }, disabled: true, ...given }
  return (await server.call(backupPlans.create, { as, body })).id
}
const view = (id: string) => server.call(backupPlans.view, { as, params: { id } })
const named = async (name: string) =>
  (await server.call(backupPlans.list, { as, query: { name: `exact:${name}` } })).data[0]
const refused = async (place: string) => {
  const { address } = await openPage(place, 'viewer')
  await vi.waitFor(() => expect(address()).toBe('/error403'), pageTimeout)
}

const group = async (name: string) => within(await screen.findByRole('toolbar', { name }, pageTimeout))
const toggles = async (name: string) => (await group(name)).getAllByRole('button')
const nameOf = (it: HTMLElement) => it.getAttribute('aria-label') ?? it.textContent
/** The names of the toggles in a group, or only of the pressed ones. */
const names = async (name: string) => (await toggles(name)).map(nameOf)
const pressed = async (name: string) =>
  (await toggles(name)).filter((it) => it.getAttribute('aria-pressed') === 'true').map(nameOf)
const toggle = async (name: string, item: string | RegExp) =>
  fireEvent.click((await group(name)).getByRole('button', { name: item }))
const presetNamed = (name: RegExp) => screen.findByRole<HTMLInputElement>('radio', { name }, pageTimeout)
const groups = ['Months', 'Weekdays', 'Days of the month', 'Start hours'] as const

it('offers three presets, of which "Custom" is empty [ST-028] [ST-029] [ST-030] [ST-031]', long, async () => {
  await openPage(`${list}/add`, as)
  const all = await screen.findAllByRole('radio', {}, pageTimeout)
  expect(all).toHaveLength(3)
  const daily = async () => {
    expect((await pressed('Months')).length).toBe(12)
    expect((await pressed('Weekdays')).length).toBe(7)
    expect((await pressed('Days of the month')).length).toBe(31)
    expect(await pressed('Start hours')).toEqual([expect.stringMatching(/02:00 UTC$/)])
  }
  const rotation = async () => (await field(/^Recovery points to keep/)).value
  expect((await presetNamed(/^Daily, keep 7/)).checked).toBe(true)
  await daily()
  expect(await rotation()).toBe('7')
  fireEvent.click(await presetNamed(/^Daily, keep 14/))
  await daily()
  await vi.waitFor(async () => expect(await rotation()).toBe('14'), pageTimeout)
  fireEvent.click(await presetNamed(/^Custom/))
  for (const name of groups) expect(await pressed(name)).toEqual([])
  await vi.waitFor(async () => expect(await rotation()).toBe('7'), pageTimeout)
  // a preset with another value is not that preset any more, and keeps its values
  fireEvent.click(await presetNamed(/^Daily, keep 7/))
  await toggle('Weekdays', 'Sunday')
  await vi.waitFor(async () => expect((await presetNamed(/^Custom/)).checked).toBe(true), pageTimeout)
  expect((await pressed('Weekdays')).length).toBe(6)
  expect((await pressed('Months')).length).toBe(12)
})

it(
  'offers all months, days, weekdays and start hours, and sends an asterisk for all [CO-045] [CO-046] [CO-047] [CO-048]',
  long,
  async () => {
    await openPage(`${list}/add`, as)
    await enter('Name', 'mondays')
    fireEvent.click(await presetNamed(/^Custom/))
    const months = await names('Months')
    expect([months.length, months[0], months.at(-1)]).toEqual([12, 'January', 'December'])
    expect(await names('Days of the month')).toEqual(Array.from({ length: 31 }, (_, index) => String(index + 1)))
    const weekdays = await names('Weekdays')
    expect([weekdays.length, weekdays[0], weekdays.at(-1)]).toEqual([7, 'Monday', 'Sunday'])
    const hours = (await names('Start hours')).map((name) => /(\d\d:00) UTC$/.exec(String(name))?.[1])
    expect(hours.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(
      Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`),
    )
    for (const all of ['All months', 'All days of the month']) await press(all)
    await toggle('Weekdays', 'Monday')
    await toggle('Weekdays', 'Sunday')
    await toggle('Start hours', /02:00 UTC$/)
    await screen.findByText(/^Every week on Monday and Sunday at \d\d:00/, {}, pageTimeout)
    await press('Create backup plan')
    await vi.waitFor(async () => {
      expect((await named('mondays'))?.schedule).toMatchObject({
        ...{ month: EVERY, day: EVERY, day_of_week: '0,6', hour: '2', minute: '0' },
      })
    }, pageTimeout)
  },
)

it('creates a plan, then opens its volumes; denies access without permission [RT-115] [IF-026]', long, async () => {
  await refused(`${list}/add`)
  await refused('/iframe/backup-plans/add')
  await openPage('/iframe/backup-plans/add', as)
  await field('Name')
  await openPage(`${list}/add`, as)
  await enter('Name', 'weekly')
  await enter(/^Description/, 'shop databases')
  await enter(/^Recovery points to keep/, '20')
  await toggle('Start hours', /14:00 UTC$/)
  const runs = within(await screen.findByRole('table', { name: 'Next runs' }, pageTimeout))
  expect(runs.getAllByRole('row')).toHaveLength(6)
  fireEvent.click(await screen.findByRole('checkbox', { name: /^Test a restore every week/ }, pageTimeout))
  await press('Create backup plan')
  await vi.waitFor(async () => expect(await named('weekly')).toBeDefined(), pageTimeout)
  const created = (await named('weekly'))!
  await expectAddress(`${list}/${created.id}/volumes`)
  expect(created).toMatchObject({
    ...{
      description: 'shop databases',
      disabled: false,
      test_restore: 'weekly',
      properties: { recovery_points_rotation: 20 },
    },
    schedule: { hour: '2,14' },
  })
})

it('shows errors of the server and of the schedule at their fields', { ...long, tags: 'all' }, async () => {
  await plan('taken')
  await openPage(`${list}/add`, as)
  await enter('Name', 'taken')
  await press('Create backup plan')
  await screen.findByText('This project already has a backup plan with the name “taken”', {}, pageTimeout)
  expect((await field('Name')).getAttribute('aria-invalid')).toBe('true')
  fireEvent.click(await presetNamed(/^Custom/))
  await press('Create backup plan')
  await screen.findByText('Choose at least one weekday', {}, pageTimeout)
  await screen.findByText('Choose months, weekdays, days of the month and start hours to see the next runs.')
})

it(
  'warns about days that some months do not have, and about a schedule that never runs',
  { ...long, tags: 'all' },
  async () => {
    await openPage(`${list}/add`, as)
    await press('All days of the month')
    await toggle('Days of the month', '31')
    const skipped = 'February, April, June, September, and November'
    await screen.findByText(new RegExp(`does not run on day 31 in ${skipped}`), {}, pageTimeout)
    await press('All months')
    await toggle('Months', 'February')
    await screen.findByText(/so the plan never runs/, {}, pageTimeout)
    await enter('Name', 'never')
    await press('Create backup plan')
    await screen.findByText('No day matches this schedule. Change the months, weekdays or days.', {}, pageTimeout)
    expect(await named('never')).toBeUndefined()
  },
)

it('edits a plan; denies access without permission [RT-116] [IF-027]', long, async () => {
  const id = await plan('edited', { description: 'kept', properties: { recovery_points_rotation: 9 } })
  const places = [`${list}/${id}/edit`, `/iframe/backup-plans/${id}/edit`]
  for (const place of places) await refused(place)
  await openPage(places[1]!, as)
  expect((await field('Name')).value).toBe('edited')
  await openPage(places[0]!, as)
  await enter('Name', 'edited-again')
  await toggle('Start hours', /05:00 UTC$/)
  await press('Save')
  await expectAddress(`${list}/${id}`)
  expect(await view(id)).toMatchObject({
    ...{ name: 'edited-again', description: 'kept', disabled: true, schedule: { hour: '2,5' } },
    properties: { recovery_points_rotation: 9 },
  })
  expect(told()).toContain('Backup plan “edited-again” saved')
})
