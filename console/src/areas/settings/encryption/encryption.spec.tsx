import { clusterSettings } from '@mainstay/contract/infrastructure/cluster-settings'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import { tasks, taskIsOver } from '@mainstay/contract/core/tasks'
import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { startServer } from '../../../../../server/src/testing/start-server'
import { taskChanged } from '../../../notices/expected-tasks'
import { useNotices } from '../../../notices/notices'
import { showTaskNotices } from '../../../notices/task-notices'
import { openPage, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'
import { renderPage } from '../../../testing/render-page'

const long = { timeout: 120_000 }
withPages()

const path = '/settings/encryption'
const params = { scope: CLUSTER_ID }
const flag = (number: number) => screen.findByRole('switch', { name: `Encrypt tier ${number}` }, pageTimeout)
const view = (of = server) => of.call(clusterSettings.view, { as: 'superuser', params })

/** Turns on encryption for a tier and confirms the dialog. */
async function encrypt(number: number) {
  fireEvent.click(await flag(number))
  const question = within(await screen.findByRole('alertdialog', { name: `Encrypt tier ${number}?` }, pageTimeout))
  question.getByText(/Existing data is not encrypted/)
  fireEvent.click(question.getByRole('button', { name: 'Encrypt' }))
}

it('shows a flag for each tier, and changes one after confirmation [EN-071, CA-263, CA-264]', long, async () => {
  await openPage(path, 'superuser')
  for (const number of [0, 1, 2, 3]) expect(await flag(number)).toHaveProperty('checked', false)
  await encrypt(1)
  await vi.waitFor(async () => expect((await view()).encryption.tier1).toBe(true), pageTimeout)
  await vi.waitFor(async () => expect(await flag(1)).toHaveProperty('checked', true), pageTimeout)
  expect((await view()).encryption).toEqual({ tier0: false, tier1: true, tier2: false, tier3: false })
})

it('shows the flags to users with read-only access', long, async () => {
  await openPage(path, 'viewer')
  expect(await flag(0)).toHaveProperty('disabled', true)
  await screen.findByText(/^You can view these settings/)
})

it('shows a toast with its own title and the server’s error when the task fails [ER-053]', long, async () => {
  const full = await startServer({ world: 'degraded' })
  const page = await renderPage(path, { server: full, as: 'superuser' })
  showTaskNotices()
  await encrypt(0)
  const task = await vi.waitFor(async () => {
    const { data } = await full.call(tasks.list, { as: 'superuser', query: { name: 'cluster.encryption.update' } })
    expect(data.map(({ state }) => taskIsOver(state))).toEqual([true])
    return data[0]!
  }, pageTimeout)
  expect(task.state).toBe('failed')
  // simulate the WebSocket event
  taskChanged(task)
  await screen.findByText('Cannot change tier encryption', {}, pageTimeout)
  await screen.findByText(/^The disk storage is full\./, {}, pageTimeout)
  expect(useNotices.getState().notices.find(({ task: of }) => of?.id === task.id)).toMatchObject({ type: 'error' })
  expect((await view(full)).encryption.tier0).toBe(false)
  page.close()
  await full.close()
})
