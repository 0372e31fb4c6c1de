import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fireEvent, screen, within } from '@testing-library/react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { noBackupTarget, type BackupTarget } from '@mainstay/contract/storage/backup-target'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { viewPath } from '../../../nav/known-pages'
import { confirmDialog, enter, field, openPage, press, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'
import { bodyOf, isElsewhere, locationOf, startOf, targetField } from './target-form'

const long = { timeout: 180_000 }
const as = 'superuser'
const address = '/infrastructure/recovery-points'
const question = { name: 'Change where recovery points are stored?' }
let folder: string
withPages()
// preload the page, because loading it on a busy host can take longer than a test waits
beforeAll(() => import('./BackupTargetPage'))
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-target-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const target = async () => (await server.call(computeCluster.view, { as })).options.backup!

describe('the backup target form', () => {
  const bucket: BackupTarget = {
    ...{ ...noBackupTarget, driver: 's3', s3_endpoint_url: 'https://s3.example.com', s3_region: 'eu' },
    ...{ s3_store_bucket: 'points', s3_prefix: null, s3_store_access_key: 'a-key', has_s3_store_secret_key: true },
  }
  const { backup } = startOf(bucket)
  const asBucket = { ...backup, driver: 's3' as const }

  it('sends only the fields of the chosen kind, and a secret key only if one was entered', () => {
    expect(bodyOf({ backup: { ...backup, driver: 'posix', posix_path: '/mnt/points' } })).toEqual({
      backup: { driver: 'posix', posix_path: '/mnt/points' },
    })
    expect(bodyOf({ backup: asBucket }).backup).not.toHaveProperty('s3_store_secret_key')
    expect(bodyOf({ backup: { ...asBucket, s3_store_secret_key: 'hush' } }).backup).toMatchObject({
      ...{ driver: 's3', s3_store_bucket: 'points', s3_prefix: '', s3_store_secret_key: 'hush' },
    })
  })

  it('detects whether existing recovery points would no longer be found', () => {
    expect(isElsewhere(bucket, bodyOf({ backup: asBucket }))).toBe(false)
    expect(isElsewhere(bucket, bodyOf({ backup: { ...asBucket, s3_store_access_key: 'other' } }))).toBe(false)
    expect(isElsewhere(bucket, bodyOf({ backup: { ...asBucket, s3_prefix: 'new/' } }))).toBe(true)
    expect(isElsewhere(bucket, { backup: { driver: 'posix', posix_path: '/mnt/points' } })).toBe(true)
    expect(locationOf(bucket)).toBe('s3://points/')
  })

  it('shows server errors on the fields that they refer to', () => {
    expect(['s3_store_secret_key', 'backup.posix_path', ''].map(targetField)).toEqual([
      ...['backup.s3_store_secret_key', 'backup.posix_path', ''],
    ])
  })
})

it(
  'shows where recovery points are stored, and changes the location after confirmation',
  { ...long, tags: 'all' },
  async () => {
    const before = await target()
    await openPage(address, as)
    await screen.findByText(/^This folder is on the same disk as the volumes\./, {}, pageTimeout)
    screen.getByText(before.posix_path!)
    screen.getByText('Not encrypted')
    await enter('Folder path', folder)
    await press('Save')
    const asked = within(await screen.findByRole('alertdialog', question, pageTimeout))
    asked.getByText(new RegExp(`^Existing recovery points stay at .*${path.basename(before.posix_path!)}`))
    fireEvent.click(asked.getByRole('button', { name: 'Cancel' }))
    await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull(), pageTimeout)
    expect((await target()).posix_path).toBe(before.posix_path)

    await press('Save')
    await screen.findByRole('alertdialog', question, pageTimeout)
    await confirmDialog()
    await vi.waitFor(async () => expect((await target()).posix_path).toBe(folder), pageTimeout)
    await screen.findByText(folder, {}, pageTimeout)
    // tasks that change the target link to this page
    expect(viewPath('compute_cluster', 'compute')).toBe(address)
  },
)

it('saves an unchanged location without asking for confirmation', long, async () => {
  const { posix_path } = await target()
  const set = vi.spyOn(server.tools.ports.storage.backupTarget, 'set')
  await openPage(address, as)
  await field('Folder path')
  await press('Save')
  await vi.waitFor(() => expect(set.mock.calls).toEqual([[{ driver: 'posix', posix_path }]]), pageTimeout)
  expect(screen.queryByRole('alertdialog')).toBeNull()
  set.mockRestore()
})

it('shows server errors on the fields of a bucket, and why a folder cannot be used', long, async () => {
  await openPage(address, as)
  const before = await target()
  await enter('Folder path', 'backups')
  await press('Save')
  await screen.findByText('Enter an absolute path, such as /mnt/backup', {}, pageTimeout)
  await enter('Folder path', path.join(folder, 'not-there'))
  await press('Save')
  await screen.findByRole('alertdialog', question, pageTimeout)
  await confirmDialog()
  await screen.findByText(/cannot be used: the folder does not exist$/, {}, pageTimeout)

  fireEvent.click(await screen.findByRole('radio', { name: /^S3 bucket/ }, pageTimeout))
  await enter('Endpoint', 'http://127.0.0.1:9')
  await enter('Bucket', 'points')
  await enter('Access key', 'a-key')
  await press('Save')
  await screen.findByRole('alertdialog', question, pageTimeout)
  await confirmDialog()
  await screen.findByText('Enter the secret key for this bucket', {}, pageTimeout)
  expect((await field('Secret key')).getAttribute('aria-invalid')).toBe('true')
  // other programs use the same disk, so its free space varies
  expect(await target()).toEqual({ ...before, free: expect.any(Number) })
})

it('says if the target cannot be used, or if no other target can be chosen', long, async () => {
  const { backupTarget } = server.tools.ports.storage
  const reason = 'The backup destination cannot be used: the connection was refused'
  const view = vi.spyOn(backupTarget, 'view').mockResolvedValue({ ...(await target()), free: null, error: reason })
  await openPage(address, as)
  await screen.findByText('Recovery points cannot be created or restored at the moment', {}, pageTimeout)
  screen.getByText(reason)
  screen.getByText('Unknown')
  view.mockResolvedValue(noBackupTarget)
  await openPage(address, as)
  await screen.findByText(/^The cloud determines where recovery points are stored\./, {}, pageTimeout)
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  view.mockRestore()
})

it('shows no form to operators with read-only access', long, async () => {
  await openPage(address, 'viewer')
  await screen.findByText('Free space', {}, pageTimeout)
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
})
