import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { tasks } from '@mainstay/contract/core/tasks'
import { managementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { fireEvent, screen, within } from '@testing-library/react'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { viewPath } from '../../../nav/known-pages'
import { taskChanged } from '../../../notices/expected-tasks'
import { useNotices } from '../../../notices/notices'
import { showTaskNotices } from '../../../notices/task-notices'
import { dialog, enter, field, openPage, press, server, told, type, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 180_000 }
const as = 'superuser'
const address = '/infrastructure/backup'
const newKey = 'New key for management backups'
const failure = 'The backup destination cannot be used: the folder does not exist'
let folder: string
withPages()
// preload the page, because loading it on a busy host can take longer than a test waits
beforeAll(() => import('./BackupPage'))
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-backups-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  await server.sql.query('delete from setting')
})

const view = () => server.call(managementBackup.view, { as })
/** Sets a backup location, then creates and confirms a key. */
async function setUp(place = folder) {
  await server.call(managementBackup.update, { as, body: { place: { kind: 'folder', path: place } } })
  const { recipient, identity } = await server.call(managementBackup.createKey, { as, body: {} })
  await server.call(managementBackup.confirmKey, { as, body: { recipient, ending: identity.slice(-4) } })
}
const heading = (name: string | RegExp) => screen.findByRole('heading', { name }, pageTimeout)
const isBarred = (name: string) => screen.getByRole('button', { name }).getAttribute('aria-disabled') === 'true'

it(
  'sets up a folder and a key, creates a backup, and shows that it was read back [UI-043] [CA-234] [CA-235]',
  long,
  async () => {
    await openPage(address, as)
    await heading('Not set up')
    expect(isBarred('Back up now')).toBe(true)
    screen.getByText('Choose a destination and create a key first')

    await enter('Folder path', folder)
    await enter('Backups to keep', '3')
    await press('Save')
    // the data folder of the test server is also a temporary folder
    await screen.findByText(/^This folder is on the same disk as the data of this server/, {}, pageTimeout)
    expect(await view()).toMatchObject({ keep: 3, place: { kind: 'folder', path: folder }, ready: false })

    await press('Create key')
    const asked = await dialog(newKey)
    const identity = asked.getByText(/^AGE-SECRET-KEY-1/).textContent
    const confirm = () => asked.getByRole('button', { name: 'I have stored the key' })
    expect(confirm().getAttribute('aria-disabled')).toBe('true')
    type(asked, /^Type the last four characters/, identity.slice(-4))
    await vi.waitFor(() => expect(confirm().getAttribute('aria-disabled')).toBeNull(), pageTimeout)
    fireEvent.click(confirm())
    await heading('No backup yet')
    expect(screen.queryByText(identity)).toBeNull()
    await screen.findByText(new RegExp(` by ${server.cast.people[as].user.name}$`), {}, pageTimeout)

    await vi.waitFor(() => expect(isBarred('Back up now')).toBe(false), pageTimeout)
    await press('Back up now')
    await heading(/^Backed up /)
    const [backup] = (await view()).backups
    const table = within(await screen.findByRole('table', { name: 'Stored backups' }, pageTimeout))
    expect(table.getAllByRole('row')).toHaveLength(2)
    expect(table.getByText(backup!.location).textContent).toBe(path.join(folder, backup!.name))
    table.getByText('Verified')
    screen.getByText(`npm start -- --restore ${backup!.name}`)
    const days = within(screen.getByRole('list', { name: 'Last 14 days' })).getAllByRole('listitem')
    expect(days).toHaveLength(14)
    expect(days.at(-1)!.textContent).toMatch(/Succeeded$/)
  },
)

it(
  'shows when and where the last backup was stored, whether backups are set up, and whether one is running [EN-063]',
  long,
  async () => {
    await openPage(address, as)
    expect((await view()).ready).toBe(false)
    await heading('Not set up')
    await setUp()
    await heading('No backup yet')
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    // lock a table, so that the backup waits until it can read the table
    const held = server.sql.transaction(async (tx) => {
      await tx.query('lock table problem_report in access exclusive mode')
      await released
    })
    try {
      await press('Back up now')
      await screen.findByRole('progressbar', { name: 'Creating management backup' }, pageTimeout)
      expect((await view()).tasks).toMatchObject([{ name: 'management.backup.create' }])
      await vi.waitFor(() => expect(isBarred('Back up now')).toBe(true), pageTimeout)
      screen.getByText('A management backup is already being created')
    } finally {
      release()
      await held
    }
    const verdict = await heading(/^Backed up /)
    const { last_backup_date: date, last_backup_location: location, tasks: running } = await view()
    expect(running).toEqual([])
    expect(verdict.querySelector('time')!.dateTime).toBe(new Date(date!).toISOString())
    await screen.findByText(location!, {}, pageTimeout)
    await vi.waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull(), pageTimeout)
  },
)

it('keeps the old key until the new one is confirmed, and says so', long, async () => {
  await setUp()
  const { key } = await view()
  await openPage(address, as)
  await press('Create new key')
  const asked = await dialog(newKey)
  // keys do not contain the letter O
  type(asked, /^Type the last four characters/, 'OOOO')
  const confirm = asked.getByRole('button', { name: 'I have stored the key' })
  await vi.waitFor(() => expect(confirm.getAttribute('aria-disabled')).toBeNull(), pageTimeout)
  fireEvent.click(confirm)
  await asked.findByText('These characters do not match the end of the new key', {}, pageTimeout)
  fireEvent.click(asked.getByRole('button', { name: 'Cancel and keep the old key' }))
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull(), pageTimeout)
  expect(told()).toContain('The new key was discarded. Backups are still encrypted with the old key.')
  expect((await view()).key).toEqual(key)
})

it(
  'shows server errors on the fields of a bucket, and why a folder cannot be used',
  { ...long, tags: 'all' },
  async () => {
    await openPage(address, as)
    fireEvent.click(await screen.findByRole('radio', { name: /^S3 bucket/ }, pageTimeout))
    await enter('Endpoint', 'http://127.0.0.1:9')
    await enter('Bucket', 'backups')
    await enter('Access key', 'a-key')
    await press('Save')
    await screen.findByText('Enter the secret key for this bucket', {}, pageTimeout)
    expect((await field('Secret key')).getAttribute('aria-invalid')).toBe('true')
    fireEvent.click(await screen.findByRole('radio', { name: /^Folder/ }, pageTimeout))
    await enter('Folder path', 'backups')
    await press('Save')
    await screen.findByText('Enter an absolute path, such as /mnt/backup', {}, pageTimeout)
    await enter('Folder path', path.join(folder, 'not-there'))
    await press('Save')
    await screen.findByText(failure, {}, pageTimeout)
    expect((await view()).place).toBeNull()
  },
)

it('shows a toast with its own title when a management backup fails [ER-066]', long, async () => {
  const gone = await mkdtemp(path.join(tmpdir(), 'mainstay-backups-'))
  await setUp(gone)
  await rm(gone, { recursive: true })
  await openPage(address, as)
  showTaskNotices()
  await heading('No backup yet')
  await press('Back up now')
  await heading('The last backup failed')
  const task = await vi.waitFor(async () => {
    const { data } = await server.call(tasks.list, { as, query: { name: 'management.backup.create' } })
    const failed = data.find(({ state }) => state === 'failed')
    expect(failed).toBeDefined()
    return failed!
  }, pageTimeout)
  // simulate the WebSocket event
  taskChanged(task)
  await screen.findByText('Management backup failed', {}, pageTimeout)
  expect(useNotices.getState().notices.find(({ task: of }) => of?.id === task.id)).toMatchObject({
    ...{ type: 'error', message: failure },
    actions: [{ payload: address }],
  })
  // tasks and alerts about the backup link to its page
  expect(viewPath('management_backup', 'management')).toBe(address)
})

it('shows the settings without a form to users with read-only access', long, async () => {
  await setUp()
  await openPage(address, 'viewer')
  await heading('No backup yet')
  screen.getByText(folder)
  for (const name of ['Save', 'Back up now', 'Create new key'])
    expect(screen.queryByRole('button', { name })).toBeNull()
})
