import { expect, it } from 'vitest'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { openPrepared, pressIn, withObjectStorage } from '../../../testing/object-storage'
import { createBucket, listBuckets } from '../client/buckets'
import { getObject, putObject } from '../client/objects'
import { getTags } from '../client/tags'
import { deleteAll } from '../delete-run'
import { sendS3 } from '../client/send'
import {
  getCors,
  getEncryption,
  getProtection,
  getRules,
  getVersioning,
  putCors,
  putRules,
  putVersioning,
} from '../client/settings'
import { s3Query } from '../keys'
import { refreshS3 } from '../use-s3'
import { versionsOf } from '../client/versions'
import { fileIdOf } from '../paths'

/* Tests bucket settings against the real server with its built-in object storage. */

withObjectStorage()
const open = (path: string, prepare: () => Promise<unknown>) => openPrepared(`/buckets${path}`, prepare)
const rulesOf = async (bucket: string) => (await getRules(bucket)).rules
const corsOf = async (bucket: string) => (await getCors(bucket)).rules
const panel = async (name: string) => screen.findByRole('region', { name })
const fill = (field: HTMLElement, value: string) => {
  fireEvent.change(field, { target: { value } })
  fireEvent.blur(field)
}

it('enables and suspends versioning, and explains the effect', { tags: 'all' }, async () => {
  await open('/rules-versions/rules', () => createBucket('rules-versions'))
  const versions = await panel('Versions')
  await within(versions).findByText(/Overwritten and deleted files cannot be restored/)
  await pressIn('Enable versioning', versions)
  await pressIn('Enable versioning', await screen.findByRole('alertdialog'))
  await within(versions).findByText(/Every version of a file is kept/)
  expect(await getVersioning('rules-versions')).toBe('on')
  await pressIn('Suspend versioning', versions)
  await pressIn('Suspend versioning', await screen.findByRole('alertdialog'))
  await within(versions).findByText(/no new versions are created/)
  expect(await getVersioning('rules-versions')).toBe('suspended')
})

it(
  'adds, edits, disables and deletes a lifecycle rule, and rejects one without an action',
  { tags: 'all' },
  async () => {
    await open('/rules-made/rules', async () => {
      await createBucket('rules-made')
      await putVersioning('rules-made', true)
    })
    const rules = await panel('Lifecycle rules')
    await within(rules).findByText('No lifecycle rules. Nothing is deleted automatically.')
    await pressIn('Add rule', rules)
    const form = await screen.findByRole('dialog')
    await pressIn('Add rule', form)
    await within(form).findByText('Set at least one action for this rule.')
    fill(within(form).getByLabelText(/Folder or prefix/), 'logs/')
    fill(within(form).getByRole('textbox', { name: /Delete files after/ }), '30')
    fill(await within(form).findByRole('textbox', { name: /Delete older versions after/ }), '7')
    fill(within(form).getByRole('textbox', { name: /Older versions to keep/ }), '3')
    await pressIn('Add rule', form)
    const line = (await within(rules).findByText('logs/')).closest('li')!
    expect(line.textContent).toContain('Files are deleted after 30 days.')
    expect(line.textContent).toContain('Older versions are deleted after 7 days, except for the 3 most recent ones.')
    await pressIn('Edit the rule for logs/', rules)
    const change = await screen.findByRole('dialog')
    fill(within(change).getByRole('textbox', { name: /Delete files after/ }), '1')
    fireEvent.click(within(change).getByRole('checkbox', { name: 'Enable this rule' }))
    await pressIn('Save', change)
    await within(rules).findByText('Files are deleted after 1 day.')
    await within(rules).findByText('Disabled')
    expect(await rulesOf('rules-made')).toMatchObject([
      { prefix: 'logs/', isOn: false, objectDays: 1, versionDays: 7, keptVersions: 3, uploadDays: null },
    ])
    await pressIn('Delete the rule for logs/', rules)
    await pressIn('Delete rule', await screen.findByRole('alertdialog'))
    await within(rules).findByText('No lifecycle rules. Nothing is deleted automatically.')
    expect(await rulesOf('rules-made')).toEqual([])
  },
)

it('enables and disables a rule that the form cannot represent, without losing any part of it', async () => {
  const rule =
    '<Rule><ID>by a program</ID><Status>Enabled</Status><Filter><And><Prefix>tmp/</Prefix><Tag><Key>k</Key><Value>&lt;v&gt;</Value></Tag></And></Filter><Expiration><Days>4</Days></Expiration></Rule>'
  const xml = () =>
    sendS3({ verb: 'GET', bucket: 'rules-foreign', query: { lifecycle: '' } }).then((reply) => reply.text())
  await open('/rules-foreign/rules', async () => {
    await createBucket('rules-foreign')
    const body = `<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${rule}</LifecycleConfiguration>`
    await sendS3({ verb: 'PUT', bucket: 'rules-foreign', query: { lifecycle: '' }, body })
  })
  const rules = await panel('Lifecycle rules')
  await within(rules).findByText('The rule has further conditions that were set with the S3 API.')
  const before = await xml()
  await pressIn('Edit the rule for All files', rules)
  const form = await screen.findByRole('dialog')
  within(form).getByText(/cannot be changed here/)
  fireEvent.click(within(form).getByRole('checkbox', { name: 'Enable this rule' }))
  await pressIn('Save', form)
  await within(rules).findByText('Disabled')
  expect(await xml()).toBe(before.replace('Enabled', 'Disabled'))
  // the same rules, plus one created in the console
  await putRules('rules-foreign', [
    ...(await rulesOf('rules-foreign')),
    { ...(await rulesOf('rules-foreign'))[0]!, id: 'mine', prefix: 'x', objectDays: 2, source: null },
  ])
  expect(await xml()).toContain('<Value>&#60;v&#62;</Value>')
})

it('enables object lock only with versioning, and warns that it cannot be disabled', async () => {
  await open('/rules-kept/rules', () => createBucket('rules-kept'))
  const protection = await panel('Object lock')
  await within(protection).findByText('Object lock is disabled. All versions can be deleted.')
  expect(within(protection).getByRole('button', { name: 'Enable object lock' }).getAttribute('aria-disabled')).toBe(
    'true',
  )
  await pressIn('Enable versioning', await panel('Versions'))
  await pressIn('Enable versioning', await screen.findByRole('alertdialog'))
  await waitFor(() =>
    expect(
      within(protection).getByRole('button', { name: 'Enable object lock' }).getAttribute('aria-disabled'),
    ).toBeNull(),
  )
  await pressIn('Enable object lock', protection)
  const form = await screen.findByRole('dialog')
  within(form).getByText(/Object lock cannot be disabled later/)
  fill(within(form).getByRole('textbox', { name: /Protect new versions for/ }), '5')
  fireEvent.click(within(form).getByRole('radio', { name: /Compliance/ }))
  await pressIn('Enable object lock', form)
  await within(protection).findByText('New versions are protected for 5 days. The protection cannot be ended earlier.')
  expect(await getProtection('rules-kept')).toEqual({ mode: 'COMPLIANCE', days: 5 })
})

it('saves a bucket’s tags, one per line, and rejects a duplicate key', async () => {
  await open('/rules-tags/rules', () => createBucket('rules-tags'))
  const tags = await panel('Tags')
  await within(tags).findByText('No tags.')
  await pressIn('Edit tags', tags)
  const form = await screen.findByRole('dialog')
  const field = within(form).getByLabelText(/Tags/)
  fill(field, 'stage=one\nstage=two')
  await pressIn('Save tags', form)
  await within(form).findByText('Two tags have the same key.')
  fill(field, 'stage = production\n\nplain')
  await pressIn('Save tags', form)
  await within(tags).findByText('stage: production')
  expect((await getTags({ bucket: 'rules-tags' })).tags).toEqual([
    { key: 'plain', value: '' },
    { key: 'stage', value: 'production' },
  ])
})

it('lists a file’s versions, restores an older one and permanently deletes one', async () => {
  const bucket = 'rules-file'
  const text = async () => (await getObject(bucket, 'notes.txt')).text()
  await open(`/files/${bucket}/${fileIdOf('notes.txt')}`, async () => {
    await createBucket(bucket)
    await putVersioning(bucket, true)
    await putObject(bucket, 'notes.txt', 'first', { 'x-amz-server-side-encryption': 'AES256' })
    await deleteAll(bucket, { keys: ['notes.txt'] }, new AbortController().signal, () => {})
    await putObject(bucket, 'notes.txt', 'second!')
  })
  const drawer = await screen.findByRole('dialog')
  await within(drawer).findByText('Latest')
  within(drawer).getByText('The file was deleted')
  const { versions } = await versionsOf(bucket, 'notes.txt')
  expect(versions.map(({ isMarker, size }) => [isMarker, size])).toEqual([
    [false, 7],
    [true, 0],
    [false, 5],
  ])
  await pressIn(`Restore version ${versions[2]!.version}`, drawer)
  await pressIn('Restore', await screen.findByRole('alertdialog'))
  await waitFor(async () => expect(await text()).toBe('first'))
  const { headers } = await sendS3({ verb: 'HEAD', bucket, key: 'notes.txt' })
  expect(headers.get('x-amz-server-side-encryption')).toBe('AES256')
  await pressIn(`Delete version ${versions[0]!.version}`, drawer)
  await pressIn('Delete version', await screen.findByRole('alertdialog'))
  const left = async () => (await versionsOf(bucket, 'notes.txt')).versions.map(({ isMarker }) => isMarker)
  await expect.poll(left).toEqual([false, true, false])
  await waitFor(() => expect(within(drawer).getAllByRole('button', { name: /^Delete version/ })).toHaveLength(3))
})

it('enables and disables encryption for new files', async () => {
  await open('/rules-secret/rules', () => createBucket('rules-secret'))
  const encryption = await panel('Encryption')
  await within(encryption).findByText(/only if the S3 client requests it/)
  await pressIn('Enable encryption', encryption)
  await pressIn('Enable encryption', await screen.findByRole('alertdialog'))
  await within(encryption).findByText('New files are encrypted with server-managed keys.')
  await putObject('rules-secret', 'x', 'kept')
  const { headers } = await sendS3({ verb: 'HEAD', bucket: 'rules-secret', key: 'x' })
  expect(headers.get('x-amz-server-side-encryption')).toBe('AES256')
  await pressIn('Disable encryption', encryption)
  await pressIn('Disable encryption', await screen.findByRole('alertdialog'))
  await within(encryption).findByText(/only if the S3 client requests it/)
  expect(await getEncryption('rules-secret')).toBe('none')
})

it('adds, edits and deletes CORS rules, and keeps rules created by other clients', { tags: 'all' }, async () => {
  const bucket = 'rules-pages'
  await open(`/${bucket}/rules`, () => createBucket(bucket))
  const pages = await panel('Cross-origin access (CORS)')
  await pressIn('Add CORS rule', pages)
  const form = await screen.findByRole('dialog')
  await pressIn('Add CORS rule', form)
  await within(form).findByText('Enter at least one origin.')
  fill(within(form).getByLabelText(/^Allowed origins/), 'https://*.*.example')
  await within(form).findByText('Use at most one * per line.')
  fill(within(form).getByLabelText(/^Allowed origins/), 'https://shop.example\nhttps://*.shop.example')
  fireEvent.click(within(form).getByRole('checkbox', { name: 'PUT' }))
  await pressIn('Add CORS rule', form)
  await within(pages).findByText('https://shop.example, https://*.shop.example')
  within(pages).getByText('Allowed methods: GET, PUT')
  const [made] = await corsOf(bucket)
  expect(made).toMatchObject({ methods: ['GET', 'PUT'], headers: ['*'], exposed: ['ETag'], maxAge: 3600 })
  const other = { id: 'a program', origins: ['*'], methods: ['HEAD' as const], headers: [], exposed: [], maxAge: null }
  await putCors(bucket, [made!, other])
  await refreshS3(s3Query.bucket(bucket, 'cors'))
  await pressIn('Edit the rule for https://shop.example, https://*.shop.example', pages)
  const change = await screen.findByRole('dialog')
  fireEvent.click(within(change).getByRole('checkbox', { name: 'PUT' }))
  await pressIn('Save', change)
  await within(pages).findByText('Allowed methods: GET')
  expect(await corsOf(bucket)).toEqual([{ ...made, methods: ['GET'] }, other])
  await pressIn('Delete the rule for *', pages)
  await pressIn('Delete rule', await screen.findByRole('alertdialog'))
  await waitFor(() => expect(within(pages).queryByText('*')).toBeNull())
  expect(await corsOf(bucket)).toHaveLength(1)
})

it('reports a concurrent change and loses neither change', { tags: 'all' }, async () => {
  const bucket = 'rules-two-people'
  const rule = (id: string, prefix: string) => ({
    ...{ id, prefix, isOn: true, objectDays: 9, versionDays: null, keptVersions: null, uploadDays: null },
    ...{ endsMarkers: false, source: null },
  })
  const page_ = (origin: string) => ({
    ...{ id: origin, origins: [origin], methods: ['GET' as const], headers: [], exposed: [], maxAge: null },
  })
  await open(`/${bucket}/rules`, async () => {
    await createBucket(bucket)
    await putRules(bucket, [rule('mine', 'mine/')])
  })
  const conflict = /Someone else has made changes in the meantime/
  const rules = await panel('Lifecycle rules')
  await within(rules).findByText('mine/')
  await pressIn('Edit the rule for mine/', rules)
  const form = await screen.findByRole('dialog')
  await putRules(bucket, [rule('mine', 'mine/'), rule('theirs', 'theirs/')])
  // reload the rules behind the open form, which keeps the rules that it was opened with
  await refreshS3(s3Query.bucket(bucket, 'rules'))
  fill(await within(form).findByRole('textbox', { name: /Delete files after/ }), '1')
  await pressIn('Save', form)
  await within(form).findByText(conflict)
  expect((await rulesOf(bucket)).map(({ id, objectDays }) => `${id} ${objectDays}`)).toEqual(['mine 9', 'theirs 9'])
  await pressIn('Cancel', form)
  await pressIn('Discard changes', await screen.findByRole('alertdialog'))
  await within(rules).findByText('theirs/')
  await pressIn('Delete the rule for theirs/', rules)
  const question = await screen.findByRole('alertdialog')
  await putRules(bucket, [rule('theirs', 'theirs/')])
  await pressIn('Delete rule', question)
  await within(question).findByText(conflict)
  expect((await rulesOf(bucket)).map(({ id }) => id)).toEqual(['theirs'])
  await pressIn('Cancel', question)
  // if two clients add a first rule concurrently, the second is rejected
  const before = await getCors(bucket)
  await putCors(bucket, [page_('https://first.example')], before.document)
  await expect(putCors(bucket, [page_('https://second.example')], before.document)).rejects.toMatchObject({
    ...{ status: 412, code: 'Changed' },
  })
  expect((await corsOf(bucket)).map(({ id }) => id)).toEqual(['https://first.example'])
})

it('lists deleted files in a versioned bucket and restores one', async () => {
  const bucket = 'rules-deleted'
  await open(`/files/${bucket}`, async () => {
    await createBucket(bucket)
    await putVersioning(bucket, true)
    for (const name of ['lost.txt', 'there.txt', 'folder/below.txt']) await putObject(bucket, name, name)
    for (const name of ['lost.txt', 'folder/below.txt']) await sendS3({ verb: 'DELETE', bucket, key: name })
  })
  await pressIn('Deleted files')
  const drawer = await screen.findByRole('dialog', { name: 'Deleted files' })
  await within(drawer).findByText('lost.txt')
  expect(within(drawer).queryByText('there.txt')).toBeNull()
  expect(within(drawer).queryByText('below.txt')).toBeNull()
  await pressIn('Restore lost.txt', drawer)
  await within(drawer).findByText(/No deleted files in this folder/)
  expect(await (await getObject(bucket, 'lost.txt')).text()).toBe('lost.txt')
})

it('deletes all versions in a bucket before it deletes the bucket', { tags: 'all' }, async () => {
  const bucket = 'rules-emptied'
  await open(`/${bucket}/overview`, async () => {
    await createBucket(bucket)
    await putVersioning(bucket, true)
    for (const body of ['first', 'second']) await putObject(bucket, 'a & b.txt', body)
    await putObject(bucket, 'gone.txt', 'x')
    await sendS3({ verb: 'DELETE', bucket, key: 'gone.txt' })
  })
  await pressIn('Delete bucket')
  const question = await screen.findByRole('alertdialog')
  fireEvent.change(within(question).getByRole('textbox'), { target: { value: bucket } })
  await pressIn('Delete bucket', question)
  await pressIn('Empty and delete')
  await screen.findByRole('heading', { name: 'Buckets' }, { timeout: 60_000 })
  expect((await listBuckets()).map(({ name }) => name)).not.toContain(bucket)
})
