import { tasks, taskIsOver } from '@mainstay/contract/core/tasks'
import { reports } from '@mainstay/contract/settings/reports'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import {
  startReportDestination,
  type ReportDestination,
} from '../../../../../server/src/testing/outside/report-destination'
import { taskChanged } from '../../../notices/expected-tasks'
import { useNotices } from '../../../notices/notices'
import { showTaskNotices } from '../../../notices/task-notices'
import { enter as type, field, openPage, press, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 120_000 }
let destination: ReportDestination
withPages()
beforeAll(async () => {
  destination = await startReportDestination()
})
afterAll(async () => {
  destination.answerNow()
  await destination.close()
})
beforeEach(async () => {
  destination.answerNow()
  await vi.waitFor(async () => expect(await server.tools.problemReports.isRunning()).toBe(false), pageTimeout)
  await server.sql.query('delete from setting')
  await server.sql.query('delete from problem_report')
  destination.taken.length = 0
})

const as = 'superuser'
const openDialog = async (who: typeof as | 'project-member' | 'domain-admin' = 'project-member') => {
  await openPage(who === as ? '/settings/certificate' : '/tasks', who)
  await press(/^Account menu: /)
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Report a problem' }, pageTimeout))
  return screen.findByRole('dialog', { name: 'Report a problem' }, pageTimeout)
}
const list = async () => (await server.call(reports.list, { as })).data
const send = (more: object = {}) =>
  server.call(reports.saveSettings, {
    as,
    body: { problem: { sending_enabled: true, url: destination.url, ca: destination.ca, ...more } },
  })
const over = (id: string) =>
  vi.waitFor(async () => {
    const task = await server.call(tasks.view, { as, params: { id } })
    expect(taskIsOver(task.state)).toBe(true)
    return task
  }, pageTimeout)

it(
  'reports a problem from the account menu, with contact_email and problem_description [EN-017] [CA-031]',
  long,
  async () => {
    await send()
    const dialog = within(await openDialog())
    // only operators choose what data about the installation is included
    expect(dialog.queryByLabelText('Days to include')).toBeNull()
    await type('Your email address', 'ada@example.com')
    await type('Problem description', 'The volume cannot be attached')
    await press('Report problem')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull(), pageTimeout)
    const [report] = await list()
    expect(report).toMatchObject({
      ...{ contact_email: 'ada@example.com', problem_description: 'The volume cannot be attached' },
      username: server.cast.people['project-member'].user.name,
    })
    expect(await over(report!.task_id)).toMatchObject({ state: 'success', error: null })
    expect(destination.taken).toHaveLength(1)
  },
)

it('requires contact_email [VA-007]', long, async () => {
  await openDialog()
  await type('Your email address', '')
  await press('Report problem')
  await screen.findByText('Enter an email address', {}, pageTimeout)
  expect(await list()).toEqual([])
})

it('accepts only an email address as contact_email [VA-008]', long, async () => {
  await openDialog()
  for (const wrong of ['ada', 'ada@', 'a b@example.com']) {
    await type('Your email address', wrong)
    await press('Report problem')
    await screen.findByText('Enter an email address', {}, pageTimeout)
  }
  expect(await list()).toEqual([])
  await type('Your email address', 'ada@example.com')
  await waitFor(() => expect(screen.queryByText('Enter an email address')).toBeNull(), pageTimeout)
})

it('disables reporting with a reason while a report task runs, and enables it afterwards [PE-020]', long, async () => {
  destination.answers = 'never'
  await send()
  const { task_id } = await server.call(reports.create, { as, body: { contact_email: 'a@b.cd' } })
  await openDialog()
  const reason = 'A problem report is being created. Wait until it is complete before you report another problem.'
  expect((await screen.findAllByText(reason, {}, pageTimeout)).length).toBeGreaterThan(0)
  const button = await screen.findByRole('button', { name: /Report problem/ }, pageTimeout)
  expect(button.getAttribute('aria-disabled') ?? button.getAttribute('disabled')).not.toBeNull()
  fireEvent.click(button)
  expect(await list()).toHaveLength(1)
  destination.answerNow()
  await over(task_id)
  await waitFor(() => expect(screen.queryAllByText(reason)).toEqual([]), pageTimeout)
  await type('Your email address', 'ada@example.com')
  await press('Report problem')
  await vi.waitFor(async () => expect(await list()).toHaveLength(2), pageTimeout)
})

it('shows a toast with its own title and the server’s error when a report task fails [ER-064]', long, async () => {
  destination.answers = 500
  await send()
  await openDialog()
  showTaskNotices()
  await type('Your email address', 'ada@example.com')
  await press('Report problem')
  await vi.waitFor(async () => expect(await list()).toHaveLength(1), pageTimeout)
  const task = await over((await list())[0]!.task_id)
  expect(task).toMatchObject({ state: 'failed', name: 'report.create' })
  // simulate the WebSocket event
  taskChanged(task)
  await screen.findByText('Cannot create problem report', {}, pageTimeout)
  await screen.findByText('The report destination rejected the report (500)', {}, pageTimeout)
  expect(useNotices.getState().notices.find(({ task: of }) => of?.id === task.id)).toMatchObject({ type: 'error' })
})

it('hides the menu entry from users with read-only access', long, async () => {
  await openPage('/settings/certificate', 'viewer')
  await press(/^Account menu: /)
  await screen.findByRole('menuitem', { name: 'About' }, pageTimeout)
  expect(screen.queryByRole('menuitem', { name: 'Report a problem' })).toBeNull()
})

it('lets an administrator enable reports, and never shows the token again [EN-075] [CA-030]', long, async () => {
  await openPage('/settings/reports', as)
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Send problem reports' }, pageTimeout))
  await press('Save')
  await screen.findByText('Enter the report destination', {}, pageTimeout)
  await type('Destination', destination.url)
  await type('Token', 'a-secret-token')
  await press('Save')
  await screen.findByText('A token is saved. Leave empty to keep it.', {}, pageTimeout)
  expect((await field('Token')).value).toBe('')
  expect((await server.call(reports.settings, { as })).problem).toMatchObject({
    sending_enabled: true,
    has_token: true,
  })
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Remove the saved token' }, pageTimeout))
  await press('Save')
  await vi.waitFor(
    async () => expect((await server.call(reports.settings, { as })).problem.has_token).toBe(false),
    pageTimeout,
  )
})

it('lists, downloads and deletes stored reports', long, async () => {
  const { task_id } = await server.call(reports.create, {
    as: 'project-member',
    body: { contact_email: 'ada@example.com', problem_description: 'It is slow' },
  })
  await over(task_id)
  await openPage('/settings/reports', as)
  await screen.findByText('It is slow', {}, pageTimeout)
  const asked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  await press(/^Download the report/)
  const link = asked.mock.instances[0] as HTMLAnchorElement
  asked.mockRestore()
  const [report] = await list()
  expect(link.getAttribute('href')).toBe(`/api/v2/reports/${report!.id}/file`)
  await press(/^Delete the report/)
  const dialog = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  fireEvent.click(dialog.getByRole('button', { name: 'Delete' }))
  await screen.findByText(/^No problem reports/, {}, pageTimeout)
  expect(await list()).toEqual([])
})

it('shows the destination but no reports to users with read-only access', long, async () => {
  await send()
  await openPage('/settings/reports', 'viewer')
  await screen.findByText(destination.url, {}, pageTimeout)
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  expect(screen.queryByRole('heading', { name: 'Reports' })).toBeNull()
})
